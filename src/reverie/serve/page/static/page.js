// Keys, search as you type, choosing many. Every page works without it.
"use strict";
document.documentElement.classList.add("js");

const all = (what, where = document) => [...where.querySelectorAll(what)];
const typing = (at) => at && (/^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) || at.isContentEditable);
const SECTIONS = { t: "/", m: "/memories", r: "/review", s: "/sessions", p: "/playground", i: "/insight", d: "/doctor" };

let here = -1;
let going = false;

function move(step) {
  const items = all("[data-item]");
  if (!items.length) return;
  here = Math.min(Math.max(here + step, 0), items.length - 1);
  items.forEach((item, place) => item.classList.toggle("here", place === here));
  items[here].scrollIntoView({ block: "nearest" });
}

const current = () => all("[data-item]")[here];

function press(key) {
  const inside = current()?.querySelector(`[data-key="${key}"]`);
  const target = inside || document.querySelector(`[data-key="${key}"]`);
  target?.click();
  return Boolean(target);
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
    Enter: () => event.target === document.body && current()?.querySelector("a")?.click(),
    "?": () => document.getElementById("keys")?.showModal(),
    "/": () => { document.querySelector("[data-search]")?.focus(); event.preventDefault(); },
  };
  if (deeds[event.key]) deeds[event.key]();
  else if (/^[a-z]$/.test(event.key)) press(event.key);
});

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

all("[data-all]").forEach((box) => box.addEventListener("change", () => {
  all("input[name=choice]").filter((one) => one.type === "checkbox").forEach((one) => { one.checked = box.checked; });
  box.form.dispatchEvent(new Event("change"));
}));
