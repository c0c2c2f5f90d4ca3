// Opens reports in Chromium and checks what a reader relies on: node axe_test.mjs [--pictures FOLDER] REPORT.html...
// SPDX-License-Identifier: Apache-2.0
//
// At 1280, 768 and 375 px: no request beyond the file, no horizontal overflow of the page, no text over other text in a chart,
// no text cut. At the widest and the narrowest: no accessibility violation (axe). At 375 px without
// JavaScript: the same text, as sound. One browser serves all reports: starting it, and its pages, costs more than most checks.
// With --pictures, screenshots and a PDF of each report go to FOLDER.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const widths = [1280, 768, 375];
const axeWidths = [1280, 375];
const plainWidth = 375; // the layout that has the least room
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

// Runs in the page. Nine tenths of axe's time is the contrast of table cells. Cells of plain text that share every colour, font
// size and background up to the page share their contrast too: the first of each look is measured, the others are marked.
function markCellsThatLookAlike() {
  const seen = new Set();
  const look = (element) => {
    const style = getComputedStyle(element);
    const here = [style.color, style.backgroundColor, style.backgroundImage, style.opacity, style.filter, style.mixBlendMode];
    return (element.parentElement ? look(element.parentElement) : "") + here.join("|");
  };
  for (const cell of document.querySelectorAll("td, th")) {
    if (cell.childElementCount > 0) continue;
    const style = getComputedStyle(cell);
    const name = [look(cell), style.fontSize, style.fontWeight, style.textShadow, style.position].join("|");
    if (seen.has(name)) cell.dataset.alike = "";
    seen.add(name);
  }
}

// A page that notes what it asks for and which errors its scripts raise.
async function newPage(browser, javaScript) {
  const context = await browser.newContext({ javaScriptEnabled: javaScript });
  const page = await context.newPage();
  page.faults = [];
  page.on("request", (request) => {
    if (request.url() !== page.report && !request.url().startsWith("data:")) page.faults.push(`the page asks for ${request.url()}`);
  });
  page.on("pageerror", (error) => page.faults.push(String(error)));
  return page;
}

async function open(page, url, width) {
  page.report = url;
  await page.setViewportSize({ width, height: 900 });
  await page.goto(url, { waitUntil: "load" });
}

// What a reader sees and what stands in closed details, without the embedded data.
const readText = (page) => page.evaluate(() => {
  const copy = document.body.cloneNode(true);
  copy.querySelectorAll("script").forEach((node) => node.remove());
  return copy.textContent;
});

async function findViolations(page) {
  await page.evaluate(markCellsThatLookAlike);
  await page.evaluate(axeSource);
  const result = await page.evaluate(() => {
    axe.configure({ rules: [{ id: "color-contrast", selector: ":not([data-alike])" }] });
    return axe.run(document, { resultTypes: ["violations"] });
  });
  return result.violations.map((violation) =>
    `axe ${violation.id}: ${violation.help}, at ${violation.nodes.map((node) => node.target).slice(0, 3).join(" ")}`);
}

async function checkWidth(pages, url, width, picture) {
  const { page } = pages;
  await open(page, url, width);
  const faults = await page.evaluate(findFaults);
  if (picture) await page.screenshot({ path: picture, fullPage: true });
  await page.evaluate(() => document.querySelectorAll("details").forEach((node) => { node.open = true; }));
  faults.push(...(await page.evaluate(findFaults)).map((fault) => `with all tables open, ${fault}`));
  if (axeWidths.includes(width)) faults.push(...await findViolations(page));
  if (width === plainWidth) faults.push(...await checkPlain(pages, url));
  faults.push(...page.faults.splice(0));
  return faults;
}

// The page is the one that was checked with JavaScript.
async function checkPlain({ page, plain }, url) {
  await open(plain, url, plainWidth);
  const faults = (await plain.evaluate(findFaults)).map((fault) => `without JavaScript, ${fault}`);
  if (await readText(plain) !== await readText(page)) faults.push("without JavaScript the text is another one");
  return [...faults, ...plain.faults.splice(0)];
}

async function checkPrint(page, url, picture) {
  const margin = { top: "15mm", bottom: "15mm", left: "15mm", right: "15mm" };
  await open(page, url, 1000);
  if (picture) await page.pdf({ path: picture, format: "A4", margin });
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: 680, height: 1000 }); // A4 without its margins
  const faults = await page.evaluate(findFaults);
  await page.emulateMedia({ media: null });
  return faults.map((fault) => `on paper, ${fault}`);
}

// The number of faults.
async function checkReport(pages, report, folder) {
  const url = pathToFileURL(resolve(report)).href, stem = basename(report, ".html");
  const picture = (name) => folder && join(folder, name);
  let count = 0;
  const say = (where, faults) => {
    faults.forEach((fault) => console.error(`${stem}${where}: ${fault}`));
    count += faults.length;
  };
  for (const width of widths) {
    say(` at ${width} px`, await checkWidth(pages, url, width, picture(`${stem}-${width}.png`)));
  }
  say("", await checkPrint(pages.page, url, picture(`${stem}.pdf`)));
  console.log(`${stem}: ${count} faults at ${widths.join(", ")} px and on paper`);
  return count;
}

async function main() {
  const reports = process.argv.slice(2);
  const folder = reports[0] === "--pictures" ? reports.splice(0, 2)[1] : undefined;
  if (reports.length === 0 || !reports.every(existsSync)) {
    console.error("usage: node axe_test.mjs [--pictures FOLDER] REPORT.html...");
    return 2;
  }
  if (folder) mkdirSync(folder, { recursive: true });
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: flags });
  let count = 0;
  try {
    const pages = { page: await newPage(browser, true), plain: await newPage(browser, false) };
    for (const report of reports) count += await checkReport(pages, report, folder);
  } finally {
    await browser.close();
  }
  return count === 0 ? 0 : 1;
}

process.exitCode = await main();
