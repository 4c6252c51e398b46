// Filters the index while a word is typed. `/` moves to the field, Enter opens the first result, and Escape clears it.
"use strict";
const field = document.querySelector("input");
const main = document.querySelector("main");
const page = Array.from(main.childNodes);
field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) { main.replaceChildren(...page); return; }
  const rank = ([name, , text]) => words.every((w) => name.toLowerCase().includes(w)) ? (name.toLowerCase().startsWith(words[0]) ? 0 : 1)
    : words.every((w) => (name + " " + text).toLowerCase().includes(w)) ? 2 : 3;
  const found = INDEX.map((entry) => [rank(entry), entry]).filter(([r]) => r < 3).sort((a, b) => a[0] - b[0]).slice(0, 100);
  const list = document.createElement("ul");
  list.className = "list";
  for (const [, [name, target, text]] of found) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = target;
    link.append(Object.assign(document.createElement("code"), { textContent: name }));
    link.addEventListener("click", () => { field.value = ""; main.replaceChildren(...page); });
    const summary = document.createElement("span");
    // What is between backquotes is code.
    summary.append(...text.split("`").map((part, i) =>
      i % 2 ? Object.assign(document.createElement("code"), { textContent: part }) : part));
    item.append(link, summary);
    list.append(item);
  }
  const nothing = Object.assign(document.createElement("p"), { className: "dim", textContent: "Nothing found." });
  main.replaceChildren(found.length ? list : nothing);
});
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && field.value.trim()) main.querySelector("ul.list > li > a")?.click();
  if (event.key === "Escape") { field.value = ""; main.replaceChildren(...page); }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) { event.preventDefault(); field.focus(); }
});
