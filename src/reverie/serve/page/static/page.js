// Keys, search as you type, choosing many. Every page works without it.
"use strict";
document.documentElement.classList.add("js");

const all = (what, where = document) => [...where.querySelectorAll(what)];
const typing = (at) => at && (/^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) || at.isContentEditable);
const SECTIONS = { t: "/", m: "/memories", r: "/review", s: "/sessions", p: "/playground", i: "/insight", d: "/doctor" };

let here = all("[data-item]").findIndex((item) => "first" in item.dataset);
let going = false;
let arriving = Promise.resolve(); // what a key does waits for what is on its way to be shown

function move(step) {
  const items = all("[data-item]");
  if (!items.length) return;
  here = Math.min(Math.max(here + step, 0), items.length - 1);
  items.forEach((item, place) => item.classList.toggle("here", place === here));
  items[here].scrollIntoView({ block: "nearest" });
  const link = items[here].querySelector("[data-detail]");
  if (link) show(link);
}

const current = () => all("[data-item]")[here];

// Beside a list: only what changes is asked for, and only the last answer counts.
let wanted = 0;
function show(link) {
  const number = ++wanted;
  arriving = (async () => {
    const answer = await fetch(`${link.href}&part=1`);
    if (number !== wanted) return;
    if (answer.redirected || !answer.ok) return location.reload();
    document.getElementById("detail").innerHTML = await answer.text();
    all("[data-detail]").forEach((one) => one.toggleAttribute("aria-current", one === link));
    history.replaceState(null, "", link.href);
  })();
}

function press(key) {
  arriving.then(() => {
    const inside = current()?.querySelector(`[data-key="${key}"]`);
    (inside || document.querySelector(`[data-key="${key}"]`))?.click();
  });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey && event.key === "Enter" && event.target.form) return event.target.form.requestSubmit();
  if (event.key === "Escape" && typing(event.target)) return event.target.blur();
  if (typing(event.target) || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (going) {
    going = false;
    if (SECTIONS[event.key]) location.href = SECTIONS[event.key];
    return;
  }
  const deeds = {
    j: () => move(1),
    k: () => move(-1),
    g: () => { going = true; },
    u: () => document.querySelector("[data-undo]")?.requestSubmit(),
    x: () => current()?.querySelector("input[type=checkbox]")?.click(),
    Enter: () => event.target === document.body && current()?.querySelector("a.name, a")?.click(),
    "?": () => document.getElementById("keys")?.showModal(),
    "/": () => { document.querySelector("[data-search]")?.focus(); event.preventDefault(); },
  };
  if (deeds[event.key]) deeds[event.key]();
  else if (/^[a-z]$/.test(event.key)) press(event.key);
});

// On a narrow screen the sections are one long line.
document.querySelector("nav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });

all("[data-help]").forEach((button) => button.addEventListener("click", () => document.getElementById("keys").showModal()));

// Only what changes is asked for, and only the last answer counts.
all("[data-live]").forEach((form) => {
  const shown = document.querySelector(form.dataset.live);
  let waiting, last = 0;
  const ask = async () => {
    const number = ++last;
    const words = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    const place = `${form.getAttribute("action")}?${words}`;
    const answer = await fetch(`${place}${words.size ? "&" : ""}part=1`);
    if (number !== last) return;
    if (answer.redirected) return location.reload();
    shown.innerHTML = await answer.text();
    history.replaceState(null, "", place);
    here = -1;
    choosing(shown);
  };
  form.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(ask, 120); });
  form.addEventListener("submit", (event) => { event.preventDefault(); ask(); });
});

function choosing(where) {
  all("[data-bulk]", where).forEach((form) => [form, ...form.elements].forEach((part) => part.addEventListener("change", () => {
    const count = [...form.elements].filter((one) => /^(memory|choice)$/.test(one.name) && one.checked).length;
    form.querySelector("[data-deeds]").classList.toggle("some", count > 0);
    form.querySelector("[data-chosen]").textContent = count ? `${count} chosen` : "";
  })));
}
choosing(document);

// A run that goes on: told by the server until it ends; then the page says what came of it.
all("[data-events]").forEach((run) => {
  const told = new EventSource(run.dataset.events);
  told.addEventListener("run", (event) => {
    const { sentence, share } = JSON.parse(event.data);
    run.querySelector("[role=status]").textContent = sentence;
    const bar = run.querySelector("progress");
    if (share === null) bar.removeAttribute("value"); else bar.value = share;
  });
  told.addEventListener("end", () => { told.close(); location.reload(); });
});

all("[data-all]").forEach((box) => box.addEventListener("change", () => {
  all("input[name=choice]").filter((one) => one.type === "checkbox").forEach((one) => { one.checked = box.checked; });
  box.form.dispatchEvent(new Event("change"));
}));
