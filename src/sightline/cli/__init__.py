"""The command `sightline`: one small file per noun. Everything heavy is imported by the command that needs it."""


def main() -> None:
    """Runs the command line of this process and ends it."""
    from sightline.cli.command_line import run

    run()
