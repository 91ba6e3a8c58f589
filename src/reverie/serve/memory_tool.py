"""A store of Reverie as the memory tool of Anthropic's SDK.

    with reverie.Memory.open() as memory:
        tool = MemoryTool(memory, "assistant")
        runner = client.beta.messages.tool_runner(tools=[tool], ...)

Answers and errors are those of the SDK's own file tool. `pip install 'reverie[anthropic]'`.
"""

from asyncio import to_thread
from typing import Any

from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool

from reverie.home import Home
from reverie.serve.file_commands import CommandFailed, FileCommands


class MemoryTool(BetaAbstractMemoryTool):
    """The files of one store. What is written has the trust of an agent, and a history."""

    def __init__(self, memory: Home, store: str, **options: Any) -> None:
        """`store` is made with the first file; `options` go to the SDK (`cache_control`)."""
        super().__init__(**options)
        self._files = FileCommands(memory, store)

    def view(self, command: Any) -> str:
        return _run(self._files, command)

    # The command itself says what it is.
    create = str_replace = insert = delete = rename = view

    def clear_all_memory(self) -> str:
        return self._files.clear()


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for asynchronous clients: the same commands, each in a thread."""

    def __init__(self, memory: Home, store: str, **options: Any) -> None:
        super().__init__(**options)
        self._files = FileCommands(memory, store)

    async def view(self, command: Any) -> str:
        return await to_thread(_run, self._files, command)

    create = str_replace = insert = delete = rename = view

    async def clear_all_memory(self) -> str:
        return await to_thread(self._files.clear)


def _run(files: FileCommands, command: Any) -> str:
    """Do what a command of the SDK says.

    Raises:
        ToolError: it did nothing; the model is told why.
    """
    try:
        match command.command:
            case "view":
                return files.view(command.path, getattr(command, "view_range", None))
            case "create":
                return files.create(command.path, command.file_text)
            case "str_replace":
                return files.str_replace(command.path, command.old_str, command.new_str)
            case "insert":
                return files.insert(command.path, command.insert_line, command.insert_text)
            case "delete":
                return files.delete(command.path)
            case "rename":
                return files.rename(command.old_path, command.new_path)
            case other:
                raise NotImplementedError(f"Unknown command: {other}")
    except CommandFailed as failed:
        raise ToolError(str(failed)) from failed
