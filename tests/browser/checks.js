// Runs inside a page after it is loaded, and writes what it found into the document as JSON.
(async () => {
  const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));
  const box = element => element.getBoundingClientRect();
  const found = { errors: window.page_errors };
  found.window = innerWidth;
  found.requests = performance.getEntriesByType("resource").map(entry => entry.name);
  found.width = document.documentElement.scrollWidth - innerWidth;
  const headline = document.querySelector(".headline");
  found.headline = headline ? headline.innerText : "";
  found.headline_ends = headline ? Math.round(box(headline).bottom) : null;
  const answers = [...document.querySelectorAll(".answer")];
  found.answers_end = answers.length ? Math.round(Math.max(...answers.map(one => box(one).bottom)) + scrollY) : null;
  found.answers = answers.map(one => [one.querySelector("h3").innerText, one.querySelector(".said").innerText]);

  const table = document.querySelector("main table");
  const column = [...table.tHead.rows[0].cells].findIndex(cell => /mean rank|average rank/.test(cell.innerText));
  const values = () => [...table.tBodies[0].rows].map(row => Number(row.cells[column].innerText));
  found.before = values();
  const head = table.tHead.rows[0].cells[column];
  head.click();
  found.ascending = values();
  head.click();
  found.descending = values();
  head.click();
  found.sorted = head.getAttribute("aria-sort");
  // A link to a figure of a fold that nobody has opened shows it.
  const folded = [...document.querySelectorAll("section.folded")].map(one => `#${one.id}`)[0];
  if (folded) {
    const holder = document.querySelector(`${folded} noscript`);
    const inside = holder && holder.textContent.match(/<(?:figure|h3|li|details) id="([^"]+)"/);
    if (inside) {
      location.hash = inside[1];
      await wait(100);
      const target = document.getElementById(inside[1]);
      found.led = Boolean(target) && target.getClientRects().length > 0 && Math.abs(box(target).top) < innerHeight;
    }
  }

  // Everything open: sizes of labels, and values beside the pointer.
  for (let closed; (closed = document.querySelectorAll("details:not([open])")).length;) {
    closed.forEach(fold => { fold.open = true; });
    await wait(200);
  }
  found.unfilled = document.querySelectorAll("noscript").length;
  const labels = [...document.querySelectorAll(".picture svg")].flatMap(svg => {
    const scale = svg.getScreenCTM().a;
    return [...svg.querySelectorAll("text")].filter(text => text.textContent.trim())
      .map(text => parseFloat(getComputedStyle(text).fontSize) * scale);
  });
  found.labels = labels.length;
  found.smallest = labels.length ? Math.min(...labels) : null;
  found.told = null;
  for (const svg of document.querySelectorAll("figure .picture svg")) {
    const list = svg.querySelector("[id$=mlsieve-marks]");
    if (!list || !svg.getClientRects().length) continue;
    const mark = JSON.parse(list.textContent).series[0];
    svg.scrollIntoView();
    const place = new DOMPoint(mark.x[0], mark.y[0]).matrixTransform(svg.getScreenCTM());
    svg.dispatchEvent(new PointerEvent("pointermove", { clientX: place.x, clientY: place.y, bubbles: true }));
    const tip = document.querySelector(".tip");
    found.told = tip.hidden ? "" : tip.textContent;
    found.expected = `${mark.label}: ${mark.at[0]}`;
    break;
  }
  found.scopes = [...document.querySelectorAll("th")].filter(cell => !cell.scope).length;
  found.unlabelled = [...document.querySelectorAll("svg, img")].filter(one => !(one.getAttribute("aria-label") || one.alt)).length;
  found.duplicates = (() => {
    const ids = [...document.querySelectorAll("[id]")].map(one => one.id);
    return ids.filter((id, place) => ids.indexOf(id) !== place).slice(0, 5);
  })();
  found.dead = [...document.querySelectorAll('a[href^="#"]')].map(link => link.getAttribute("href").slice(1))
    .filter(id => !document.getElementById(id)).slice(0, 5);
  scrollTo(0, 5000);
  await wait(100);
  const bar = box(document.querySelector(".bar"));
  found.bar = [Math.round(bar.top), bar.bottom > 10];
  const theme = document.getElementById("theme");
  const light = getComputedStyle(document.body).backgroundColor;
  theme.click();
  found.dark = [light, getComputedStyle(document.body).backgroundColor];
  const picture = document.querySelector("figure .picture");
  if (picture) {
    picture.focus();
    picture.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    await wait(100);
    found.large = document.querySelector("dialog").open;
  }
  if (parent !== window) parent.postMessage(JSON.stringify(found), "*");
  document.body.innerHTML = "";
  document.body.append(Object.assign(document.createElement("pre"), { id: "found", textContent: JSON.stringify(found) }));
})();
