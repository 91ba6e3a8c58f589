"""The reviewed phrases of the detector, in families: what people and agents say around corrections.

Every phrase is plain English that says nothing about any project or person. A family is one
feature, so that a phrase rare in the training corpus still counts through its siblings.
"""

from collections.abc import Mapping

# What a person says.
# fmt: off
HUMAN: Mapping[str, tuple[str, ...]] = {
    "no": ("no", "nope", "nah", "na", "not quite", "not really", "not exactly", "noo", "nooo"),
    "wait": (
        "wait", "stop", "hold on", "hang on", "pause", "one sec", "whoa", "cancel", "don't do",
        "not yet",
    ),
    "moan": (
        "hmm", "hm", "huh", "uh", "uhh", "um", "umm", "ummm", "ehh", "eh", "ugh", "argh",
        "weird", "strange", "odd", "crap", "wtf", "damn", "lol", "yikes", "oops", "yuck", "oh no",
        "uh oh", "come on", "seriously", "annoying", "frustrating", "terrible",
        "horrible", "ugly", "awful", "sigh", "meh",
    ),
    "wrong": (
        "wrong", "incorrect", "not correct", "not right", "isn't right", "not true",
        "isn't correct", "isn't true", "mistake", "misleading", "inaccurate", "false",
        "not accurate", "not what", "bad", "not good", "no good", "misunderstood", "misread",
        "made up", "make it up", "made it up", "not valid", "invalid", "doesn't make sense",
        "makes no sense", "not make sense", "confusing", "confused", "confusion", "nonsense",
        "you missed", "you forgot", "you broke", "broke", "messed up",
        "that's not", "this isn't", "this is not", "that is not", "it's not", "not a",
    ),
    "actually": ("actually", "in fact", "technically", "to be clear", "to clarify", "in reality"),
    "instead": (
        "instead", "instead of", "rather than", "rather", "not just", "as opposed to",
        "better to", "would be better", "be better", "prefer", "i'd prefer", "i'd rather",
        "alternatively", "other way", "another way", "any way", "anyway to", "other approach",
        "different", "simpler", "cleaner",
    ),
    "revert": (
        "revert", "undo", "roll back", "rollback", "put back", "put it back", "restore",
        "change it back", "change back", "go back", "back to", "remove", "drop", "delete",
        "get rid", "take out", "reset", "discard", "remove this", "remove that", "remove the",
    ),
    "still": (
        "still", "again", "keeps", "keep getting", "same error", "same issue", "same problem",
        "same thing", "happened again", "not working", "doesn't work", "does not work",
        "didn't work", "isn't working", "won't work", "not fixed", "no change", "nothing changed",
        "not seeing", "can't see", "don't see", "cannot see", "not showing", "doesn't show",
        "didn't show", "no longer", "stopped working",
    ),
    "already": (
        "already", "we already", "there's already", "there is already", "it's already",
        "already have", "already did", "already done", "existing", "reuse", "we have", "we've got",
        "as before", "previously", "before", "used to",
    ),
    "not_need": (
        "don't need", "do not need", "no need", "not needed", "not necessary", "unnecessary",
        "overkill", "too much", "to much", "too many", "too complicated", "overcomplicated",
        "over complicated", "overengineered", "don't think", "do not think", "not sure",
        "i'm not sure", "don't want", "do not want", "don't like", "not a fan", "don't care",
        "pointless", "no point", "don't see the", "not helpful", "not useful", "useless",
        "not convinced", "don't understand", "not worth", "don't really",
    ),
    "dont": (
        "don't", "do not", "shouldn't", "should not", "must not", "can't", "cannot",
        "never", "avoid", "without", "let's not", "not be", "not to",
    ),
    "should": (
        "should", "should be", "should have", "we should", "it should", "you should",
        "this should", "that should", "supposed to", "needs to", "need to", "must", "has to",
        "have to", "ought to", "should only", "should always", "must be", "should also",
    ),
    "thought": (
        "i thought", "i would have thought", "i'd have thought", "i assumed", "i expected",
        "would expect", "i'd expect", "i was expecting", "i mean", "i meant", "my point",
        "i was talking", "what i mean", "what i meant", "i said", "i told", "i asked",
        "as i said", "i wanted", "meant", "i was referring", "my question", "expectation",
    ),
    "why": (
        "why", "why not", "why did", "why do", "why are", "why is", "why does", "why would",
        "why can't", "why couldn't", "how come", "what's the point", "what are you", "the point",
        "what is the purpose", "what's the purpose", "any reason", "reason why",
    ),
    "negative_question": (
        "isn't", "aren't", "doesn't", "don't we", "don't you", "didn't", "didn't we", "wasn't",
        "shouldn't we", "shouldn't it", "shouldn't this", "shouldn't the", "wouldn't", "couldn't",
        "can't we", "couldn't we", "haven't", "isn't it", "isn't this", "isn't that", "is it not",
        "can we not", "should we not", "do we not", "are we not", "is there not",
    ),
    "doubt": (
        "are you sure", "you sure", "is this really", "really", "is that right", "is this right",
        "does this really", "do we even", "even", "do we really", "is it really", "i doubt",
        "i wonder", "i'm wondering", "wondering", "i guess", "suspicious", "i suspect",
        "double check", "check again", "really ?",
    ),
    "but": ("but", "however", "although", "though", "except", "unless"),
    "or": ("or is", "or maybe", "or just", "or something", "or we", "or do", "or should"),
    "only": ("only", "just", "simply", "just use", "just the", "let's just", "just do"),
    "problem": (
        "error", "errors", "fail", "fails", "failed", "failing", "failure", "broken", "bug",
        "issue", "issues", "problem", "crash", "crashes", "missing", "missed", "lost", "breaks",
        "stuck", "hangs", "conflict", "conflicts", "is empty", "is gone", "not found", "flaky",
    ),
    "you": (
        "you", "you've", "you're", "you did", "you have", "have you", "did you", "you are",
        "you were", "you changed", "you removed", "you added", "you just", "you keep", "your",
        "what you", "you made", "you used",
    ),
    "polarity": ("too", "enough", "less", "more", "longer", "shorter", "smaller", "bigger"),
    "agree": (
        "yes", "yeah", "yep", "yup", "ok", "okay", "sure", "go ahead", "do it", "sounds good",
        "lgtm", "looks good", "perfect", "great", "nice", "cool", "good", "go for it", "proceed",
        "continue", "thanks", "thank you", "awesome", "agreed", "correct", "that works", "works",
        "makes sense", "i like", "fine", "right", "alright", "love it", "exactly", "approved",
        "carry on", "keep going", "please do", "go on", "well done", "excellent",
    ),
    "praise": (
        "exactly right", "perfect", "love it", "great", "awesome", "excellent", "well done",
        "good call", "nice work", "keep doing", "this is the right", "that's the right",
        "yes exactly", "exactly what i", "good approach", "great approach", "nice approach",
    ),
    "always": (
        "always", "never", "from now on", "going forward", "in future", "in the future",
        "every time", "each time", "whenever", "by default", "as a rule", "convention", "standard",
        "policy", "at all times", "rule", "guideline", "remember", "remember to", "keep in mind",
        "don't forget", "note that", "for all", "any time", "for every", "every", "next time",
    ),
    "avoid": (
        "avoid", "never", "must not", "should not", "shouldn't", "don't use", "do not use",
        "don't add", "don't put", "don't ever", "do not add", "don't commit", "don't push",
        "do not commit", "do not push", "don't touch", "do not touch", "not allowed",
    ),
    "because": (
        "because", "since", "so that", "so we", "that way", "given", "given that", "otherwise",
        "as it", "in order", "the reason", "due to", "to avoid", "that's why", "as we", "as that",
    ),
    "keep": (
        "keep", "keep it", "keep the", "leave", "leave it", "let's keep", "stick to", "stick with",
        "stay with", "let's use", "use the", "we'll use", "go with", "let's go with", "let's have",
    ),
    "name": (
        "name", "named", "naming", "rename", "call it", "called", "spelling", "wording", "term",
    ),
    "document": (
        "document", "document this", "documentation", "docs", "readme", "claude.md", "agents.md",
        "add this to", "memory", "write down", "guidelines", "instructions", "learning",
    ),
    "test": ("test", "tests", "testing", "unit test", "unit tests", "coverage", "ci", "e2e"),
    "ship": (
        "commit", "push", "merge", "pr", "pull request", "branch", "rebase", "changelog",
        "commit message", "create a pr", "open a pr", "release", "commit this", "push it",
        "commit and push", "deploy", "draft pr",
    ),
    "fix_order": (
        "fix", "fix it", "fix this", "fix the", "please fix", "address", "resolve", "solve",
        "run the", "rerun", "run", "update", "add", "create", "implement", "write", "make",
    ),
    "request": (
        "can you", "could you", "would you", "please", "pls", "help me", "give me", "show me",
        "tell me", "i need you",
    ),
    "wish": (
        "can we", "could we", "should we", "are we", "would it", "i want", "i'd like",
        "i would like", "i need", "is it possible", "can it", "may we", "how about",
    ),
    "together": ("let's", "lets", "let us", "we can", "we could", "we might", "we'll"),
    "quantifier": (
        "all", "any", "every", "each", "anything", "everything", "nothing", "none", "ever", "both",
        "anyone", "everyone", "per", "either", "neither", "whole", "entirely", "completely",
        "regardless",
    ),
    "place": (
        "repo", "repository", "folder", "directory", "config", "settings", "local", "locally",
        "remote", "environment", "machine", "worktree", "workspace", "package", "module", "file",
    ),
    "use": (
        "use", "using", "used", "uses", "use the", "run", "call", "calls", "follow", "prefer",
        "stick", "align", "match", "consistent", "same as", "like the", "similar to", "reference",
    ),
    "one_off": (
        "now", "this one", "the last", "latest", "status", "continue", "go ahead", "check",
        "look at", "have a look", "take a look", "update the", "what's next", "next", "done",
        "finish", "try again", "again", "quick", "quickly",
    ),
    "asking": (
        "what", "how", "where", "which", "who", "when", "what's", "what is", "how do", "how does",
        "is there", "are there", "does it", "explain", "describe", "summarize", "what if",
        "do you", "what about", "what would", "can i", "does", "does this", "does the",
    ),
    "also": (
        "also", "additionally", "one more", "another", "and also", "as well", "next", "then", "now",
    ),
    "opinion": (
        "i think", "i feel", "i believe", "imo", "in my opinion", "personally", "maybe", "perhaps",
        "seems", "looks like", "seems like", "it seems", "probably", "i would", "i'd",
    ),
    "choice": (
        "option", "option 1", "option 2", "option 3", "option a", "option b", "option c",
        "go with option", "first one", "second one", "number 1", "number 2", "the first",
        "the second", "the latter", "the former", "both",
    ),
    "self": (
        "i did", "i've", "i have", "i just", "i removed", "i changed", "i tried", "i ran",
        "i'm running", "i'll", "i fixed", "i see", "i can", "i was", "my", "i get", "i got",
        "i'm getting", "i found", "i noticed",
    ),
    "review": (
        "severity", "high severity", "medium severity", "low severity", "reviewer", "review",
        "comment", "feedback", "suggestion", "consider", "findings", "concern", "concerns",
        "potential", "recommendation",
    ),
    "future": (
        "for now", "later", "follow up", "followup", "eventually", "at the moment", "currently",
        "in the long run", "future", "roadmap", "for the moment", "long term", "right now",
    ),
    "where": (
        "should be in", "should live", "belongs", "put it", "put them", "put this", "move it",
        "move this", "move", "place", "folder", "directory", "below", "above", "under", "inside",
        "separate", "separately", "in the same",
    ),
}


# What an agent says before the turn, in answer to it, or in its reasoning about it.
AGENT: Mapping[str, tuple[str, ...]] = {
    "plans": ("let me", "i'll", "i will", "now i", "i'm going to", "next", "now let me"),
    "explains": (
        "because", "the issue", "the problem", "the cause", "the reason", "means", "root cause",
        "so the", "this means",
    ),
    "recommends": (
        "recommend", "recommended", "recommendation", "suggest", "suggestion", "proposal",
        "propose", "proposed", "prefer", "preference", "option", "options", "approach",
        "approaches", "trade-off", "trade-offs", "tradeoff", "design", "instead", "alternative",
        "alternatively", "i'd", "would", "could", "cleaner", "simpler", "simplest", "best",
    ),
    "right": (
        "you're right", "you're absolutely right", "you're totally right", "you're correct",
        "you're absolutely correct", "you are right", "you are correct", "user is right",
        "user is correct", "they're right", "good point", "good catch", "great point",
        "great catch", "fair point", "my mistake", "my bad", "i was wrong", "misunderstood",
        "i misread", "apologies", "apologize", "apologise", "sorry", "i made a mistake",
        "i should have", "i shouldn't have", "mistaken", "valid point", "excellent point",
    ),
    "admits": (
        "you're right", "you're absolutely right", "you're correct", "you are right", "good point",
        "good catch", "good call", "good idea", "good thinking", "great idea", "great point",
        "great catch", "fair point", "fair enough", "ah", "oh", "sorry", "apologies", "my mistake",
        "my bad", "i see", "i misunderstood", "i misread", "i was wrong", "right", "understood",
        "got it", "of course", "exactly", "makes sense", "that makes sense", "hmm", "interesting",
        "true", "ha", "i understand", "excellent point", "valid point", "uh oh", "i agree",
        "agreed", "good distinction", "fair",
    ),
    "answers": (
        "good question", "great question", "yes", "no", "let me check", "let me look",
        "let me see", "let me investigate",
    ),
    "complies": ("done", "committed", "pushed", "i'll", "let me", "sure", "ok", "now", "created"),
    "sees_correction": (
        "user is correcting", "user is pointing", "user is rejecting", "user is objecting",
        "user disagrees", "user is clarifying", "user is pushing", "user is saying",
        "user is telling", "user is noting", "user is suggesting", "user is mentioning",
        "user is reporting", "user is right", "user is correct", "user is frustrated",
        "user is confused", "user is complaining", "user is questioning", "user is reminding",
        "user is indicating", "user says", "user said", "user prefers", "user doesn't",
        "user didn't", "user thinks", "user noticed", "user rejected", "user interrupted",
        "user clarified", "user corrected", "user pointed", "user points", "user mentioned",
        "user suggests", "user suggested", "user told", "user has clarified", "user has corrected",
        "they're right", "they're saying", "they're pointing", "they're correct", "instead",
        "instead of", "wrong", "mistake", "not what", "misunderstood", "actually", "rather than",
    ),
    "sees_request": (
        "user is asking", "user asks", "user asked", "user wants", "user is requesting",
        "user would like", "user confirmed", "user agrees", "user agreed", "user approved",
        "user provided", "user is providing", "user chose", "user selected", "user accepted",
        "user wants me", "wants me to", "user has asked", "user is sharing", "user shared",
    ),
    "promises": (
        "going forward", "from now on", "i'll remember", "in future", "in the future",
        "i'll make sure", "noted", "always", "never", "convention", "rule", "preference",
    ),
}

# What makes a sentence hold beyond today, and what ties it to the moment.
STATEMENT: Mapping[str, tuple[str, ...]] = {
    "rule": (
        "should", "shouldn't", "must", "mustn't", "needs to", "need to", "has to", "have to",
        "ought to", "always", "never", "only", "every", "supposed to", "make sure", "ensure",
        "required", "at least", "at most", "no longer", "from now on", "going forward",
        "in future", "in the future", "by default",
    ),
    "ban": (
        "don't", "do not", "never", "avoid", "no need", "stop", "without", "must not",
        "shouldn't", "should not", "let's not", "not allowed", "no more", "get rid of", "no",
    ),
    "no_ban": (
        "don't think", "don't know", "don't see", "don't understand", "no idea", "don't worry",
        "no problem", "no longer", "no response", "not yet",
    ),
    "ours": (
        "we're", "we are", "we use", "we have", "we don't", "we do", "we want", "we need",
        "we keep", "we only", "we can", "we never", "we always", "we no", "we prefer", "we'll",
        "we will", "we currently", "we already", "we still", "we might", "we would", "our",
        "this repo", "this project", "this repository", "this codebase", "this package",
        "the repo", "the project", "the codebase", "the team",
    ),
    "choice": (
        "let's", "lets", "i'd like", "i'd prefer", "i'd rather", "i would like", "i would prefer",
        "i want", "i prefer", "prefer", "go with", "stick to", "stick with", "keep", "use",
        "rename", "call it", "name", "named", "instead of", "rather than", "put", "store", "move",
        "i think", "better to", "start with", "align", "reuse", "leave",
    ),
    "reason": (
        "because", "since", "so that", "so we", "so it", "so they", "so the", "so you", "that way",
        "this way", "given", "otherwise", "in order to", "due to", "to avoid", "easier",
        "cleaner", "simpler", "better", "as it", "as that", "as we", "as this", "that'll",
        "in case", "risk", "confusing", "confusion", "complicated", "don't want",
    ),
    "fact": (
        "is", "are", "has", "use", "uses", "keeps", "comes", "lives", "means", "doesn't",
        "does not", "isn't", "aren't", "can't", "supports", "contains", "works", "runs", "calls",
        "requires", "gets",
    ),
    "contrast": (
        "instead of", "rather than", "but only", "but not", "only", "no longer", "without", "not",
        "as opposed to",
    ),
    "no_contrast": ("not sure", "not yet", "not only", "not just"),
    "passing": (
        "commit", "push", "merge", "rebase", "run", "check", "look", "again", "now", "status",
        "continue", "fix", "failing", "fails", "failed", "error", "please", "try", "rerun",
        "respond", "reply", "review", "explain", "summarize", "show", "tell", "see", "pr", "line",
    ),
    "screen": (
        "button", "buttons", "header", "footer", "modal", "page", "homepage", "layout", "color",
        "colors", "colour", "colours", "logo", "icon", "icons", "tab", "tabs", "screen", "sidebar",
        "menu", "dialog", "font", "label", "display", "displayed", "card", "tooltip", "scroll",
    ),
    "pronoun": ("it", "this", "that", "these", "those", "them", "they", "here", "there"),
}
# fmt: on
