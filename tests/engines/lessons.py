"""What a model that reads well would answer to a piece of sessions, by a script."""

import re
from typing import Any


def answer_to(material: str, said: str, lesson: str) -> dict[str, Any]:
    """One lesson, which rests on the line of a person that holds `said`; empty without one."""
    found = re.search(rf"^([a-z]\d+) PERSON[^\n]*{re.escape(said)}", material, re.MULTILINE)
    lessons = [
        {
            "name": "",
            "title": lesson[:60],
            "text": lesson,
            "why": None,
            "when": "Numbering what lies at the quay.",
            "type": "project",
            "kind": "data-quirk",
            "scope": "project",
            "standing": True,
            "evidence": [found[1]],
        }
        for found in filter(None, [found])
    ]
    _, _, listed = material.partition("\nSTATEMENTS\n")
    ids = re.findall(r"^(\S+) ", listed.partition("\n\n")[0], re.MULTILINE)
    judged = [{"id": name, "lesson": 1 if lessons else None, "why": "as said"} for name in ids]
    return {"lessons": lessons, "statements": judged, "memories": [], "diary": []}
