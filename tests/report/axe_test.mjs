// Opens a report in Chromium and checks what a reader relies on: node axe_test.mjs REPORT.html OUTDIR
// SPDX-License-Identifier: Apache-2.0
//
// At 1280, 768 and 375 px: no accessibility violation (axe), no request beyond the file, no horizontal overflow of the page, no
// text over other text in a chart, no text cut. Without JavaScript the page shows the same text. Screenshots go to OUTDIR.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const widths = [1280, 768, 375];
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

// Runs in the page. Everything a reader could miss or misread, as a list of sentences.
function findFaults() {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth + 1) {
    faults.push(`the page is ${root.scrollWidth} px wide in a window of ${root.clientWidth} px`);
  }
  const visible = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 0;
  const charts = [...document.querySelectorAll("svg[role=img]")];
  const shown = charts.filter(visible);
  if (shown.length * 2 !== charts.length) faults.push(`${shown.length} of ${charts.length} drawings are shown`);
  for (const svg of shown) {
    const name = (svg.getAttribute("aria-label") || "").slice(0, 50);
    if (!name) faults.push("a chart has no label");
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map((node) => ({ text: node.textContent, box: node.getBoundingClientRect() }));
    for (const { text, box } of texts) {
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1) {
        faults.push(`'${text}' is cut at the edge of: ${name}`);
      }
      const size = box.height;
      if (size < 10) faults.push(`'${text}' is only ${size.toFixed(1)} px high in: ${name}`);
    }
    for (let i = 0; i < texts.length; i++) {
      for (let k = i + 1; k < texts.length; k++) {
        const a = texts[i].box, b = texts[k].box;
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 0.5 && down > 1.5) faults.push(`'${texts[i].text}' and '${texts[k].text}' overlap in: ${name}`);
      }
    }
  }
  for (const element of document.querySelectorAll("body *:not(svg, svg *, script, style)")) {
    if (!visible(element) || element.closest("details:not([open]) > :not(summary)")) continue;
    const style = getComputedStyle(element);
    const scrolls = style.overflowX === "auto" || style.overflowX === "scroll";
    if (style.overflowX === "hidden" && element.scrollWidth > element.clientWidth + 1) {
      faults.push(`text is cut in <${element.localName} class="${element.className}">`);
    }
    const box = element.getBoundingClientRect();
    if (box.right > root.clientWidth + 1 && !scrolls && !element.closest(".scroll")) {
      faults.push(`<${element.localName} class="${element.className}"> reaches ${Math.round(box.right)} px`);
    }
  }
  return faults;
}

async function open(browser, url, width, javaScript, outside) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, javaScriptEnabled: javaScript });
  const page = await context.newPage();
  page.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("data:")) outside.push(request.url());
  });
  await page.goto(url, { waitUntil: "load" });
  return page;
}

// What a reader sees and what stands in closed details, without the embedded data.
const readText = (page) => page.evaluate(() => {
  const copy = document.body.cloneNode(true);
  copy.querySelectorAll("script").forEach((node) => node.remove());
  return copy.textContent;
});

async function checkWidth(browser, url, width, folder, stem) {
  const faults = [];
  const outside = [];
  const page = await open(browser, url, width, true, outside);
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  faults.push(...await page.evaluate(findFaults));
  await page.screenshot({ path: join(folder, `${stem}-${width}.png`), fullPage: true });
  await page.evaluate(() => document.querySelectorAll("details").forEach((node) => { node.open = true; }));
  faults.push(...(await page.evaluate(findFaults)).map((fault) => `with all tables open, ${fault}`));
  await page.evaluate(axeSource);
  const result = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  for (const violation of result.violations) {
    faults.push(`axe ${violation.id}: ${violation.help}, at ${violation.nodes.map((node) => node.target).slice(0, 3).join(" ")}`);
  }
  const text = await readText(page);
  await page.context().close();
  const plain = await open(browser, url, width, false, outside);
  const plainFaults = await plain.evaluate(findFaults);
  faults.push(...plainFaults.map((fault) => `without JavaScript, ${fault}`));
  if (await readText(plain) !== text) faults.push("without JavaScript the text is another one");
  await plain.context().close();
  faults.push(...errors, ...outside.map((request) => `the page asks for ${request}`));
  return faults;
}

async function checkPrint(browser, url, folder, stem) {
  const page = await open(browser, url, 1000, true, []);
  await page.pdf({ path: join(folder, `${stem}.pdf`), format: "A4", margin: { top: "15mm", bottom: "15mm", left: "15mm", right: "15mm" } });
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: 680, height: 1000 }); // A4 without its margins
  const faults = await page.evaluate(findFaults);
  await page.context().close();
  return faults.map((fault) => `on paper, ${fault}`);
}

async function main() {
  const [report, folder = "."] = process.argv.slice(2);
  if (!report || !existsSync(report)) {
    console.error("usage: node axe_test.mjs REPORT.html [OUTDIR]");
    return 2;
  }
  mkdirSync(folder, { recursive: true });
  const url = pathToFileURL(resolve(report)).href, stem = basename(report, ".html");
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: flags });
  let count = 0;
  try {
    for (const width of widths) {
      const faults = await checkWidth(browser, url, width, folder, stem);
      faults.forEach((fault) => console.error(`${stem} at ${width} px: ${fault}`));
      count += faults.length;
    }
    const faults = await checkPrint(browser, url, folder, stem);
    faults.forEach((fault) => console.error(`${stem}: ${fault}`));
    count += faults.length;
  } finally {
    await browser.close();
  }
  console.log(`${stem}: ${count} faults at ${widths.join(", ")} px and on paper`);
  return count === 0 ? 0 : 1;
}

process.exitCode = await main();
