"""The command line: the program, options that commands share, and how repairs are shown and written."""
