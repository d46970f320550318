"use strict";
(() => {
  const root = document.documentElement;
  const make = (name, text, properties = {}) => Object.assign(document.createElement(name), { textContent: text }, properties);

  // Light or dark: the system's choice until the reader makes one, which the browser keeps.
  const stored = () => { try { return localStorage.getItem("mlsieve-theme"); } catch { return null; } };
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  if (stored()) root.dataset.theme = stored();
  const theme = document.getElementById("theme");
  const name_theme = () => { theme.textContent = dark() ? "Light" : "Dark"; theme.setAttribute("aria-pressed", String(dark())); };
  theme.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try { localStorage.setItem("mlsieve-theme", root.dataset.theme); } catch { /* a page from a file may not keep it */ }
    name_theme();
  });
  theme.hidden = false;
  name_theme();

  // The content of a fold is text until the fold is opened, a link leads into it, or the browser is idle; the browser's own
  // search finds it then.
  const all = (what, inside = document) => [...inside.querySelectorAll(what)];
  const fill = holder => {
    const fold = holder.parentElement;
    holder.outerHTML = holder.textContent;
    equip(fold);
  };
  const idle = window.requestIdleCallback ?? (act => setTimeout(act, 200));
  const fill_next = () => {
    const holder = document.querySelector("noscript.later");
    if (!holder) return;
    fill(holder);
    idle(fill_next);
  };

  // A link to something folded opens what holds it.
  const reveal = () => {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* a per cent sign that encodes nothing */ }
    if (!id) return;
    let target = document.getElementById(id);
    if (!target) {
      const holder = all("noscript.later").find(one => one.textContent.includes(` id="${id}"`));
      if (!holder) return;
      fill(holder);
      target = document.getElementById(id);
    }
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (target.matches("section.folded")) target.querySelector("details").open = true;
    all("details[open] > noscript.later").forEach(fill);
    target.scrollIntoView();
  };

  // What a cell sorts by: its number, also of "0.012 [0.003, 0.021]", "3 / 1" and "1,234"; else its text.
  const number = text => {
    const found = text.replace(/−/g, "-").replace(/(\d),(?=\d{3})/g, "$1").match(/^(?:[^=]*= |[<>] ?)?[+]?(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)/i);
    return found ? Number(found[1]) : NaN;
  };
  const sort = (table, column, head) => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    const rows = [...table.tBodies[0].rows].map((row, place) => ({ row, place, text: row.cells[column].textContent.trim() }));
    const numeric = head.classList.contains("n");
    rows.forEach(item => { item.number = number(item.text); });
    rows.sort((a, b) => {
      const missing = item => numeric ? isNaN(item.number) : item.text === "" || item.text === "–";
      if (missing(a) !== missing(b)) return missing(a) ? 1 : -1;
      const order = numeric ? a.number - b.number : a.text.localeCompare(b.text, undefined, { numeric: true });
      return (order ? (up ? order : -order) : 0) || a.place - b.place;
    });
    table.tBodies[0].append(...rows.map(item => item.row));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
  };
  const cells_of = table => [...table.rows].filter(row => !row.hidden).map(row => [...row.cells].map(cell => cell.textContent.trim()));
  const as_text = table => cells_of(table).map(row => row.join("\t")).join("\n");
  const right = table => [...table.tHead.rows[0].cells].map(cell => cell.classList.contains("n"));
  const as_markdown = table => {
    const [head, ...rows] = cells_of(table).map(row => row.map(text => text.replace(/[\\*<>|`$[\]~^]|(?<![\p{L}\p{N}])[_@]|_(?![\p{L}\p{N}])|-(?=-)|(?<=-)-|\.(?=\.\.)|&(?=#?[\p{L}\p{N}_]+;)/gu, "\\$&").replace(/^(\d{0,9})([#%]|[+-](?=\s)|(?<=\d)[.)](?=\s|$)|:(?=::))/, "$1\\$2")));
    const rule = right(table).map(number => number ? "---:" : "---");
    return [head, rule, ...rows].map(row => `| ${row.join(" | ")} |`).join("\n");
  };
  const special = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}",
    "−": "$-$", "≤": "$\\leq$", "≥": "$\\geq$", "×": "$\\times$", "±": "$\\pm$", "∞": "$\\infty$", "≈": "$\\approx$", "→": "$\\rightarrow$", "↑": "$\\uparrow$", "↓": "$\\downarrow$" };
  "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi - pi rho - sigma tau upsilon phi chi psi omega".split(" ").forEach((name, place) => {
    if (name !== "-") special[String.fromCharCode(0x3b1 + place)] = `$\\${name}$`;
  });
  for (const letter of "ΓΔΘΛΞΠΣΥΦΨΩ") special[letter] = special[letter.toLowerCase()].replace(/[a-z]/, first => first.toUpperCase());
  const escaped = text => text.replace(/[\\~^<>|−≤≥×±∞≈→↑↓α-ωΓΔΘΛΞΠΣΥΦΨΩ&%$#_{}]/g, letter => special[letter] || (/[α-ω]/.test(letter) ? letter : `\\${letter}`));
  const latex = text => escaped(text).replace(/(?<![\w/-])F\\_F(?![\w/-])/g, () => "$F_F$").replace(/(?<![\w/-])chi-squared(?![\w/-])/g, () => "$\\chi^2$")
    .replace(/(?<![\w.-])(\d(?:\.\d+)?)e-0*(\d+)(?![\w-])/g, (all, number, power) => `$${number} \\cdot 10^{-${power}}$`);
  const latex_cell = text => /^-\d[\d.]*(e[-+]?\d+)?$/.test(text) ? `$-$${latex(text.slice(1))}` : latex(text);
  const as_latex = table => {
    const [head, ...rows] = cells_of(table).map(row => row.map(latex_cell).join(" & ").replace(/^\[/, "{[}") + " \\\\");
    const kinds = right(table).map(number => number ? "r" : "l").join("");
    const caption = latex(table.caption ? table.caption.textContent.trim() : "");
    return ["\\begin{table}", "\\centering", `\\caption{${caption}}`, `\\begin{tabular}{${kinds}}`, "\\toprule", head, "\\midrule",
      ...rows, "\\bottomrule", "\\end{tabular}", "\\end{table}"].join("\n");
  };
  const copy = async (text, button) => {
    let done = true;
    try { await navigator.clipboard.writeText(text); } catch {
      const area = make("textarea", text);
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
    }
    const before = button.textContent;
    button.textContent = done ? "Copied" : "Not copied";
    setTimeout(() => { button.textContent = before; }, 1200);
  };

  const equip_table = table => {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      head.tabIndex = 0;
      head.classList.add("sortable");
      head.title = "Sort";
      head.addEventListener("click", () => sort(table, column, head));
      head.addEventListener("keydown", event => {
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sort(table, column, head); }
      });
    });
    const tools = make("div", "", { className: "tools-of-table" });
    for (const [name, form, title] of [
      ["Copy", as_text, "Copy the table; a spreadsheet takes it"],
      ["LaTeX", as_latex, "Copy the table as LaTeX, with the rules of booktabs"],
      ["Markdown", as_markdown, "Copy the table as Markdown"],
    ]) {
      const button = make("button", name, { type: "button", title });
      button.addEventListener("click", () => copy(form(table), button));
      tools.append(button);
    }
    if (table.tBodies[0].rows.length > 12) {
      const filter = make("input", "", { type: "search", placeholder: "Filter rows" });
      filter.setAttribute("aria-label", "Show only rows that contain this text");
      filter.addEventListener("input", () => {
        const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
        for (const row of table.tBodies[0].rows) {
          const text = row.textContent.toLowerCase();
          row.hidden = !words.every(word => text.includes(word));
        }
      });
      tools.append(filter);
    }
    table.parentElement.before(tools);
  };
  // Tables that are folded get their tools when they are opened.
  const ready = new WeakSet();
  const equip_shown = inside => all("table", inside).forEach(table => {
    if (ready.has(table) || table.closest("details:not([open])")) return;
    ready.add(table);
    equip_table(table);
  });
  const equip_text = text => {
    const button = make("button", "Copy", { type: "button" });
    button.addEventListener("click", () => copy(text.textContent, button));
    text.before(button);
  };

  // Figures: a click or Enter shows them large; plus and minus zoom.
  const dialog = make("dialog", "");
  const large = make("div", "", { className: "large", tabIndex: 0 });
  const tools = make("div", "", { className: "tools" });
  let scale = 1;
  const resize = () => {
    const picture = large.firstElementChild;
    if (!picture) return;
    picture.style.width = `${Math.round(large.clientWidth * 0.98 * scale)}px`;
    picture.style.height = "auto";
    picture.style.maxWidth = picture.style.maxHeight = "none";
  };
  const zoom = factor => { scale = Math.min(8, Math.max(0.25, scale * factor)); resize(); };
  for (const [text, act] of [["Larger", () => zoom(1.4)], ["Smaller", () => zoom(1 / 1.4)], ["Close", () => dialog.close()]]) {
    const button = make("button", text, { type: "button" });
    button.addEventListener("click", act);
    tools.append(button);
  }
  dialog.append(tools, large);
  dialog.setAttribute("aria-label", "Figure");
  document.body.append(dialog);
  dialog.addEventListener("keydown", event => { if (event.key === "+") zoom(1.4); if (event.key === "-") zoom(1 / 1.4); });
  dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close(); });
  large.addEventListener("wheel", event => {
    if (event.ctrlKey) { event.preventDefault(); zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15); }
  }, { passive: false });
  let grabbed = null;
  large.addEventListener("pointerdown", event => { grabbed = [event.clientX + large.scrollLeft, event.clientY + large.scrollTop]; });
  addEventListener("pointerup", () => { grabbed = null; });
  large.addEventListener("pointermove", event => {
    if (grabbed) { large.scrollLeft = grabbed[0] - event.clientX; large.scrollTop = grabbed[1] - event.clientY; }
  });
  const show = picture => {
    const twin = picture.firstElementChild.cloneNode(true);
    // Ids must stay unique, also while the picture is there twice.
    const given = [...twin.querySelectorAll("[id]")].map(item => item.id);
    if (given.length) {
      const outside = document.createElement("div");
      outside.append(twin);
      outside.innerHTML = outside.innerHTML.replace(/(id="|url\(#|href="#)/g, "$1large-");
      large.replaceChildren(outside.firstElementChild);
    } else large.replaceChildren(twin);
    scale = 1;
    dialog.showModal();
    resize();
    tell(large);
  };
  const equip_picture = picture => {
    picture.addEventListener("click", () => show(picture));
    picture.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); show(picture); }
    });
    tell(picture);
  };

  // The values of the nearest mark, from the list of marks that a figure holds.
  const tip = make("div", "", { className: "tip", hidden: true });
  document.body.append(tip);
  const marks_of = svg => {
    const list = svg.querySelector("[id$=mlsieve-marks]");
    let series = [];
    try { if (list) series = JSON.parse(list.textContent).series; } catch { /* a figure from elsewhere */ }
    return series.flatMap(one => one.x.map((x, place) => ({ x, y: one.y[place], text: `${one.label}: ${one.at[place]}` })));
  };
  function tell(picture) {
    const svg = picture.querySelector("svg");
    if (!svg) return;
    let marks = null;
    svg.addEventListener("pointermove", event => {
      marks ??= marks_of(svg);
      const matrix = svg.getScreenCTM();
      if (!marks.length || !matrix) return;
      const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
      let best = null, least = 12 / matrix.a;
      for (const mark of marks) {
        const distance = Math.hypot(mark.x - place.x, mark.y - place.y);
        if (distance < least) { best = mark; least = distance; }
      }
      tip.hidden = !best;
      if (!best) return;
      tip.textContent = best.text;
      (dialog.open ? dialog : document.body).append(tip);
      tip.style.left = `${Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8)}px`;
      tip.style.top = `${event.clientY + 14}px`;
    });
    svg.addEventListener("pointerleave", () => { tip.hidden = true; });
  }

  function equip(part) {
    all(".picture", part).forEach(equip_picture);
    all("pre[id]", part).forEach(equip_text);
    equip_shown(part);
  }
  equip(document.body);
  document.addEventListener("toggle", event => {
    all(":scope > noscript.later", event.target).forEach(fill);
    equip_shown(event.target);
  }, true);
  addEventListener("hashchange", reveal);
  document.addEventListener("click", event => { // a second click on the same link changes no hash
    const link = event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) reveal();
  });
  reveal();
  addEventListener("load", () => idle(fill_next));
})();
