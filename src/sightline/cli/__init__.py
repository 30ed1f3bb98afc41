"""The command `sightline`: one small file per noun, imported when its command is used."""


def main() -> None:
    """Runs the command line of this process and ends it."""
    from sightline.cli.command_line import run

    run()
