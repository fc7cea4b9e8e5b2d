# SPDX-License-Identifier: BSD-3-Clause
# Completion of parhelion for fish. It asks the program itself, so that it is always up to date.

function __parhelion_subcommands
    string join \n -- $argv | sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z-]*\).*/\1/p'
end

function __parhelion_complete
    set -l tokens (commandline -opc)
    set -l program $tokens[1]
    set -l help ($program --help 2>/dev/null); or return
    set -l inner (__parhelion_subcommands $help)
    set -l chosen
    set -l first true
    for word in $tokens[2..]
        if test $first = true -a "$word" = help
            set first false
            continue
        end
        set first false
        contains -- $word $inner; or break
        set -a chosen $word
        set help ($program $chosen --help 2>/dev/null); or return
        set inner (__parhelion_subcommands $help)
    end
    test (count $chosen) -gt 0; or set -a inner help

    set -l current (commandline -ct)
    set -l previous $tokens[-1]
    if string match -q -- '-*' $current
        string join \n -- $help | sed -n 's/^  \(-[a-zA-Z],\)\{0,1\}\(--[a-z0-9-]*\).*/\2/p'
    else if string match -q -- '--*' $previous
        # The values in braces, as in --real TEXT:{float,double}; otherwise fish offers files.
        set -l values (string join \n -- $help | \
            sed -n "s/^  \(-[a-zA-Z],\)\{0,1\}$previous [^ ]*{\([^}]*\)}.*/\2/p" | string split ,)
        if test (count $values) -gt 0
            printf '%s\n' $values
        else
            __fish_complete_path $current
        end
    else if test (count $inner) -gt 0
        printf '%s\n' $inner
    else
        __fish_complete_path $current
    end
end

complete -c parhelion -f -a '(__parhelion_complete)'
