"""`reverie mcp`: memory as a tool server on stdin and stdout."""

import os
import sys

import click


@click.command()
@click.option("--project", metavar="NAME", help="Serve this project, whatever the directory.")
@click.option("--agent", default="", metavar="NAME", help="The agent that asks: `claude-code`, ….")
@click.option("--read-only", is_flag=True, help="Refuse every write.")
@click.option("--home", metavar="PATH", default="", help="The home; REVERIE_* is ignored with it.")
def mcp(project: str | None, agent: str, read_only: bool, home: str) -> None:
    """Serve recall and memory over MCP (stdio); agents start this themselves."""
    from reverie.asker import Asker
    from reverie.cli.opening import session
    from reverie.connect.switches import trusted
    from reverie.memory import Memory
    from reverie.serve.mcp import Server, own_stdout
    from reverie.serve.tools import Tools

    sink = own_stdout()
    folder = os.getcwd()
    env = trusted(os.environ, home, folder)
    asker = Asker("mcp", session(), agent=agent)
    with Memory.open(project=project, asker=asker, folder=folder, environ=env) as memory:
        tools = Tools(memory, read_only=read_only)
        Server(tools, sys.stdin.buffer, sink, sys.stderr).run()
