"""Command groups: errors become text and exit codes; options may stand beside subcommands."""

import errno
import sys
from typing import Any

import click
import click.shell_completion

from tracker.cli import signals, terminal
from tracker.cli.common import Settings
from tracker.errors import CheckFailed, InputRefused, TrackerError
from tracker.progress import silent

# click's prefix of a UsageError's message.
_BEFORE_USAGE = "Error: "


class ErrorReporting(click.Group):
    """A command group that words errors in one place and exits with their code."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse words that are not UTF-8: neither the store nor a message could contain them."""
        for word in args:
            try:
                word.encode()
            except UnicodeEncodeError:
                raise click.UsageError(f"not UTF-8 text: {word!a}") from None
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for a subcommand's name, say which commands have it."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            groups = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
            meant = [
                f"'tracker {name} {args[0]}'"
                for name, group in groups.items()
                if isinstance(group, click.Group) and args[0] in group.commands
            ]
            if not meant:
                raise
        raise click.UsageError(
            f"No such command '{args[0]}'. Did you mean {' or '.join(meant)}?", ctx
        )

    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        """Complete a command by name only, since its help would import it."""
        found = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*map(click.shell_completion.CompletionItem, found), *options]

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a TrackerError or a signal becomes its text and its exit code."""
        try:
            with signals.raised():
                return self._run(ctx)
        except signals.Interrupted as interrupted:
            terminal.say_error(str(interrupted))
            ctx.exit(interrupted.exit_code)
        except TrackerError as error:
            terminal.say_error(*error.lines)
            ctx.exit(error.exit_code)
        except click.UsageError as error:
            if sys.stderr.isatty():
                fitted = terminal.wrapped(f"{_BEFORE_USAGE}{error.format_message()}")
                raise click.UsageError(fitted.removeprefix(_BEFORE_USAGE), error.ctx) from error
            raise
        except (click.exceptions.Exit, click.Abort, click.ClickException, BrokenPipeError):
            raise
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            terminal.say_error(f"{where}{error.strerror or error}")
            is_refused = error.errno == errno.ENAMETOOLONG
            ctx.exit(InputRefused.exit_code if is_refused else TrackerError.exit_code)
        except Exception as error:
            settings = ctx.obj if isinstance(ctx.obj, Settings) else None
            if "--debug" in sys.argv or (settings is not None and settings.debug):
                raise
            if settings is not None and (altered := settings.opened(silent).impossible()):
                terminal.say_error(*altered, "the store was altered: see 'tracker check'")
                ctx.exit(CheckFailed.exit_code)
            reason = str(error).splitlines()[0] if str(error) else ""
            terminal.say_error(
                f"unexpected {type(error).__name__}: {reason} (run with --debug for the traceback)"
            )
            ctx.exit(1)

    def _run(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Exception as error:
            if interrupted := signals.interruption(error):
                raise interrupted from None
            raise


class Branching(click.Group):
    """A command with an argument and options of its own, and with subcommands.

    The first word decides whether a subcommand is meant; a click group would take it for the
    argument.
    """

    allow_extra_args = False
    allow_interspersed_args = True

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Leave a subcommand's words to the subcommand."""
        if args and args[0] in self.commands:
            ctx.args = args
            return args
        return click.Command.parse_args(self, ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand, or else the command itself."""
        if not ctx.args:
            return click.Command.invoke(self, ctx)
        name, *words = ctx.args
        command = self.commands[name]
        with command.make_context(name, words, parent=ctx) as inner:
            return command.invoke(inner)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, none in the path of a subcommand, which does not take them."""
        return super().get_params(ctx) if ctx.command is self else []

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the usage of the command itself."""
        return click.Command.collect_usage_pieces(self, ctx)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the usage of the command itself, and below it that of its subcommands."""
        super().format_usage(ctx, formatter)
        prefix = " " * len("Usage: ")
        formatter.write_usage(ctx.command_path, "COMMAND [ARGS]...", prefix)
