// SPDX-License-Identifier: Apache-2.0
// What run_pages.sh adds to a copy of a page: looks at it as it is laid out here, and tells the window
// around it what is wrong, a line each.
'use strict';
const wrong = window.wrong;  // begun in the head, by what collects errors
const say = text => wrong.push(text);
const name = e => `${e.tagName.toLowerCase()} ${e.getAttribute('class') || ''} '` +
    `${e.textContent.trim().slice(0, 40)}'`;

function shown(e) {
  const box = e.getBoundingClientRect();
  return box.width > 0 && box.height > 0 && getComputedStyle(e).visibility !== 'hidden';
}

// ---- the document

function lookAtDocument() {
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth) {
    say(`the page is ${root.scrollWidth} wide, in a window of ${innerWidth}`);
    for (const e of document.body.querySelectorAll('*'))
      if (e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.box, .draw')) {
        say(`  as far as ${Math.round(e.getBoundingClientRect().right)}: ${name(e)}`);
        break;
      }
  }
  const ids = new Set();
  for (const e of document.querySelectorAll('[id]')) {
    if (ids.has(e.id)) say(`two things have the id ${e.id}`);
    ids.add(e.id);
  }
  for (const a of document.querySelectorAll('a[href]')) {
    const to = a.getAttribute('href');
    if (/^[a-z]+:|^\/\//i.test(to)) say(`the link to ${to} leaves the page`);
    else if (to[0] !== '#') say(`FILE ${to}`);
    else if (!ids.has(to.slice(1))) say(`the link to ${to} leads nowhere`);
  }
  for (const e of document.querySelectorAll('[aria-labelledby]'))
    for (const id of e.getAttribute('aria-labelledby').split(' '))
      if (!ids.has(id)) say(`${name(e)} is described by ${id}, which is missing`);
  for (const e of document.querySelectorAll('[src], link, object, embed, iframe'))
    say(`${name(e)} comes from elsewhere`);
  for (const e of performance.getEntriesByType('resource')) say(`${e.name} was loaded`);
}

// ---- figures

function corners(e) {
  const b = e.getBBox(), m = e.getScreenCTM();
  return [[b.x, b.y], [b.x + b.width, b.y], [b.x + b.width, b.y + b.height], [b.x, b.y + b.height]]
      .map(([x, y]) => [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f]);
}

// Do two boxes, turned or not, lie upon each other by more than `slack`? They do not when a side of one
// separates them.
function upon(p, q, slack) {
  for (const [a, b] of [[p[0], p[1]], [p[1], p[2]], [q[0], q[1]], [q[1], q[2]]]) {
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
    const n = [(b[1] - a[1]) / length, (a[0] - b[0]) / length];
    const along = r => r.map(([x, y]) => x * n[0] + y * n[1]);
    const u = along(p), v = along(q);
    if (Math.min(Math.max(...u), Math.max(...v)) - Math.max(Math.min(...u), Math.min(...v)) < slack)
      return false;
  }
  return true;
}

function lookAtFigure(figure) {
  const title = figure.querySelector('figcaption').firstChild.textContent;
  const drawings = [...figure.querySelectorAll('.draw svg')];
  if (!drawings.length) {
    if (!/Nothing to draw/.test(figure.textContent)) say(`'${title}' has no drawing`);
    return;
  }
  const seen = drawings.filter(shown);
  if (seen.length !== 1) say(`'${title}' shows ${seen.length} drawings`);
  for (const svg of seen) {
    const box = svg.getBoundingClientRect();
    if (box.width < 200 || box.height < 20)
      say(`'${title}' is ${Math.round(box.width)} x ${Math.round(box.height)}`);
    if (!svg.querySelector('title') || !svg.querySelector('desc')) say(`'${title}' is not described`);
    const marks = [...svg.querySelectorAll('rect, path, circle, text')];
    if (!marks.some(e => e.querySelector('title') && /rect|path|circle/.test(e.tagName)))
      say(`'${title}' has no marks`);
    for (const e of marks) {
      for (const a of e.attributes)
        if (/nan|inf|undefined/i.test(a.value)) say(`'${title}': ${a.name}="${a.value}"`);
      for (const [x, y] of corners(e))
        if (x < box.left - 2 || x > box.right + 2 || y < box.top - 2 || y > box.bottom + 2) {
          say(`'${title}': ${name(e)} is not inside of the drawing`);
          break;
        }
    }
    const texts = marks.filter(e => e.tagName === 'text' && e.textContent).map(e => [e, corners(e)]);
    for (let k = 0; k < texts.length; k++)
      for (let m = 0; m < k; m++)
        if (upon(texts[k][1], texts[m][1], 3))
          say(`'${title}': ${name(texts[k][0])} is upon ${name(texts[m][0])}`);
  }
}

// ---- texts

function parse(colour) {
  const n = colour.match(/[\d.]+/g).map(Number);
  return n.length > 3 && n[3] < 1 ? null : n;  // null: not opaque
}

function light(colour) {
  const [r, g, b] = colour.map(c => (c /= 255) <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b;
}

function behind(e) {
  if (e instanceof SVGElement && e.closest('.in')) {  // on a cell
    const box = e.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
    for (const cell of e.closest('svg').querySelectorAll('.cell')) {
      const c = cell.getBoundingClientRect();
      if (c.left < x && x < c.right && c.top < y && y < c.bottom)
        return parse(getComputedStyle(cell).fill);
    }
  }
  for (; e; e = e.parentElement) {
    const colour = getComputedStyle(e).backgroundColor;
    if (colour !== 'rgba(0, 0, 0, 0)') return parse(colour);
  }
  return [255, 255, 255];
}

function lookAtText(e) {
  const style = getComputedStyle(e), svg = e instanceof SVGElement;
  const size = parseFloat(style.fontSize) * (svg ? Math.hypot(e.getScreenCTM().a, e.getScreenCTM().b) : 1);
  if (size < 10.95) say(`${name(e)} is ${size.toFixed(1)} pixels high`);
  const ink = parse(svg ? style.fill : style.color), page = behind(e);
  if (!ink || !page) return say(`${name(e)}: colours that one can see through`);
  const a = light(ink), b = light(page), contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  if (contrast < 4.5) say(`${name(e)} has a contrast of ${contrast.toFixed(2)}`);
}

// ---- all

addEventListener('load', () => {
  try {
    for (const e of document.querySelectorAll('details')) e.open = true;
    lookAtDocument();
    const figures = document.querySelectorAll('figure');
    figures.forEach(lookAtFigure);
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let texts = 0;
    while (walk.nextNode()) {
      const e = walk.currentNode.parentElement;
      if (!walk.currentNode.data.trim() || /^(script|style|title|desc)$/i.test(e.tagName)) continue;
      if (!shown(e)) continue;
      lookAtText(e);
      texts++;
    }
    parent.postMessage({wrong, figures: figures.length, texts}, '*');
  } catch (error) {
    parent.postMessage({wrong: [...wrong, `look.js: ${error}`], figures: 0, texts: 0}, '*');
  }
});
