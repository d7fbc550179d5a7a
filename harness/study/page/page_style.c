// SPDX-License-Identifier: Apache-2.0
// How a page looks: on a screen, light and dark, on a narrow one, on paper.
#include <stdio.h>

#include "page_priv.h"
#include "palette.h"

// Colours by name; on paper it is always the first set.
static const char light[] =
    "--page:#fff;--ink:#1b1f24;--grey:#57606a;--rule:#dde1e5;--line:#8b949d;--soft:#f5f7f9;"
    "--good:#0f6b3a;--good-page:#e3f4ea;--bad:#a4250f;--bad-page:#fdeae6;--link:#0b5cad;"
    "--absent:#f8f3e3;--absent-line:#c9a227;color-scheme:light;";
static const char dark[] =
    "--page:#14181d;--ink:#e7ebef;--grey:#a3adb8;--rule:#2d343c;--line:#78828d;--soft:#1c2229;"
    "--good:#6fd69b;--good-page:#153023;--bad:#ff9d8a;--bad-page:#3a1d18;--link:#7db8f5;"
    "--absent:#2a2615;--absent-line:#a58a2c;color-scheme:dark;";

static const char rules[] =
    "*{box-sizing:border-box}\n"
    "html{background:var(--page);-webkit-text-size-adjust:100%;scroll-padding-top:16px}\n"
    "body{margin:0;color:var(--ink);font:15px/1.55 system-ui,-apple-system,\"Segoe UI\",Roboto,"
    "\"Helvetica Neue\",Arial,\"Liberation Sans\",\"DejaVu Sans\",sans-serif;"
    "-webkit-print-color-adjust:exact;print-color-adjust:exact}\n"
    "main{max-width:1200px;margin:0 auto;padding:36px 32px 72px;min-width:0}\n"
    "h1{font-size:30px;line-height:1.2;font-weight:700;letter-spacing:-.015em;margin:0;"
    "overflow-wrap:anywhere}\n"
    "h2{font-size:21px;line-height:1.3;font-weight:650;margin:56px 0 10px;padding-top:16px;"
    "border-top:2px solid var(--ink);overflow-wrap:anywhere}\n"
    "h3{font-size:16px;font-weight:650;margin:30px 0 8px;overflow-wrap:anywhere}\n"
    "p{margin:8px 0;max-width:78ch;overflow-wrap:anywhere}\n"
    ".under{color:var(--grey);margin:6px 0 0;font-size:16px}\n"
    ".claim{font-size:19px;line-height:1.45;margin:22px 0;padding:2px 0 2px 16px;"
    "border-left:4px solid var(--s0);max-width:66ch}\n"
    ".note{color:var(--grey);font-size:13.5px}\n"
    ".absent{background:var(--absent);border-left:3px solid var(--absent-line);padding:8px 14px;"
    "font-size:14px}\n"
    "a{color:var(--link);text-underline-offset:2px;text-decoration-thickness:1px}\n"
    "nav{font-size:14px}nav ul{list-style:none;margin:0;padding:0}\n"
    "nav a{color:var(--grey);text-decoration:none;display:block;padding:4px 0}"
    "nav a:hover{color:var(--ink)}\n"
    // facts
    ".facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,330px),1fr));"
    "gap:0 40px;margin:16px 0;font-size:14.5px}\n"
    ".facts div{display:flex;gap:16px;padding:6px 0;border-bottom:1px solid var(--rule)}\n"
    ".facts dt{color:var(--grey);flex:0 0 128px}\n"
    ".facts dd{margin:0;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}\n"
    // tables
    ".box{overflow-x:auto;max-width:100%;margin:10px 0}\n"
    "table{border-collapse:collapse;font-size:13.5px;font-variant-numeric:tabular-nums}\n"
    "caption{text-align:left;font-weight:650;padding:0 0 4px;white-space:nowrap}\n"
    "th{text-align:left;font-weight:600;font-size:12.5px;color:var(--grey);padding:5px 12px;"
    "border-bottom:1px solid var(--line);vertical-align:bottom}\n"
    "td{padding:5px 12px;border-bottom:1px solid var(--rule);vertical-align:top}\n"
    "th:first-child,td:first-child{padding-left:0}th:last-child,td:last-child{padding-right:0}\n"
    "td.t:first-child{min-width:9em}td.long{min-width:17em}td.good,td.bad{padding-left:8px;padding-"
    "right:8px}\n"
    "th.n,td.n{text-align:right;white-space:nowrap}"
    "tbody tr:hover td{background:var(--soft)}\n"
    ".good,tbody tr:hover td.good{color:var(--good);background:var(--good-page)}"
    ".bad,tbody tr:hover td.bad{color:var(--bad);background:var(--bad-page)}\n"
    ".gone{color:var(--grey);font-style:italic}.all{font-weight:650}\n"
    ".code{font-family:ui-monospace,\"SF Mono\",Menlo,Consolas,\"DejaVu Sans Mono\",monospace;"
    "font-size:12.5px;white-space:pre}\n"
    "details{margin:8px 0 12px}summary{cursor:pointer;color:var(--grey);font-size:13.5px}"
    "summary:hover{color:var(--ink)}\n"
    ".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));"
    "gap:0 48px;align-items:start}.pair>*{min-width:0}\n"
    // figures
    "figure{margin:26px 0 20px;container-type:inline-size}\n"
    "figcaption{font-size:16px;font-weight:650;line-height:1.35;overflow-wrap:anywhere}"
    "figcaption span{display:block;font-weight:400;font-size:13.5px;color:var(--grey);"
    "margin-top:2px}\n"
    ".legend{list-style:none;display:flex;flex-wrap:wrap;gap:3px 20px;margin:10px 0 0;padding:0;"
    "font-size:13.5px;font-variant-numeric:tabular-nums}.legend "
    "li{display:flex;align-items:center;min-width:0;overflow-wrap:anywhere}\n"
    ".key{width:26px;height:12px;margin-right:7px;flex:none}"
    ".key.square{width:12px}.key.scale{width:150px;margin:0 8px}\n"
    ".draw{overflow-x:auto;margin-top:8px}.draw svg{display:block;width:100%;height:auto}\n"
    ".wide{display:none}@container (min-width:816px){.wide{display:block}.narrow{display:none}}\n"
    ".draw text{fill:var(--ink);font-variant-numeric:tabular-nums;paint-order:stroke;"
    "stroke:var(--page);stroke-width:3px;stroke-linejoin:round}.draw .tick{fill:var(--grey)}"
    ".draw .in text{stroke:none;pointer-events:none}"
    ".draw .bold{font-weight:650}\n"
    ".wide text{font-size:13px}.narrow text,.small text{font-size:12px}\n"
    ".grid{stroke:var(--rule);fill:none}.axis{stroke:var(--line);fill:none}"
    ".guide{stroke:var(--ink);fill:none;stroke-dasharray:5 4}\n"
    ".halo{stroke:var(--page);fill:none;stroke-width:5}"
    ".ref{stroke:var(--ink);fill:none;stroke-width:2.2}\n"
    ".bar{stroke:var(--page);stroke-width:.8}.void{stroke:var(--line);fill:none;stroke-dasharray:2 "
    "2}\n"
    ".draw "
    ".under{fill:var(--soft)}.curve{fill:none;stroke-width:2;stroke-linejoin:round}.roof{fill:none;"
    "stroke-width:2}"
    ".node{fill:var(--page);stroke:var(--line)}.dot{stroke:var(--page);stroke-width:1.2}.cell{"
    "stroke:var(--page);"
    "stroke-width:1}\n"
    // wide screens: contents beside the text
    "nav{max-width:1200px;margin:0 auto;padding:18px 32px 0}nav ul{display:flex;flex-wrap:wrap;"
    "gap:0 18px}\n"
    "@media screen and (min-width:1280px){body{display:grid;grid-template-columns:228px "
    "minmax(0,1fr)}nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto;"
    "padding:44px 8px 32px 32px;margin:0}nav ul{display:block}main{margin:0 auto 0 0;width:100%}"
    "body:not(:has(nav)){display:block}}\n"
    "@media (max-width:700px){main{padding:24px 16px 56px}nav{padding:12px 16px "
    "0}h1{font-size:25px}"
    "h2{font-size:19px;margin-top:44px}.claim{font-size:17px}.facts dt{flex-basis:104px}}\n"
    // paper
    "@page{size:A4;margin:14mm 13mm}\n"
    "@media print{nav,.screen{display:none}main{max-width:none;padding:0}body{font-size:9.5pt}"
    "h1{font-size:19pt}h2{font-size:14pt;margin-top:24pt}h3,figcaption{font-size:11pt}"
    "h2,h3,figcaption{break-after:avoid}figure,tr,.facts div,.legend,.draw{break-inside:avoid}"
    ".pair{grid-template-columns:repeat(2,minmax(0,1fr));gap:0 20pt}"
    ".box,.draw{overflow:visible}.draw svg{min-width:0!important}.claim{font-size:13pt}"
    ".facts{font-size:8.5pt;grid-template-columns:repeat(2,minmax(0,1fr));gap:0 24pt}"
    ".facts dt{flex-basis:96px}.legend,figcaption span{font-size:8.5pt}"
    "table{font-size:8pt}th{font-size:7.5pt}td,th{padding:3px 6px}"
    ".code{font-size:7.5pt;white-space:pre-wrap}.wide{display:block}.wide+.narrow{display:none}"
    "details:not([open]){display:none}a{color:inherit;text-decoration:none}}\n";

static void put_colours(FILE *f, int scheme) {
  for (int k = 0; k < PALETTE_COLOURS; k++)
    fprintf(f, "--s%d:%s;", k, palette_series[scheme][k]);
  for (int k = 0; k < PALETTE_STEPS; k++)
    fprintf(f, "--h%d:%s;--d%d:%s;--ht%d:%s;--dt%d:%s;", k, palette_heat[scheme][k], k,
            palette_sides[scheme][k], k, palette_inks[palette_heat_ink(scheme, k)], k,
            palette_inks[palette_sides_ink(scheme, k)]);
}

void page_style(FILE *f) {
  fprintf(f, ":root{%s", light);
  put_colours(f, PALETTE_LIGHT);
  fprintf(f, "}\n@media screen and (prefers-color-scheme:dark){:root{%s", dark);
  put_colours(f, PALETTE_DARK);
  fputs("}}\n", f);
  fputs(rules, f);
  for (int k = 0; k < PALETTE_COLOURS; k++)
    fprintf(f, ".f%d{fill:var(--s%d)}.l%d{stroke:var(--s%d)}", k, k, k, k);
  for (int k = 0; k < PALETTE_STEPS; k++)
    fprintf(f,
            ".h%d{fill:var(--h%d)}.d%d{fill:var(--d%d)}.draw .ht%d{fill:var(--ht%d)}"
            ".draw .dt%d{fill:var(--dt%d)}",
            k, k, k, k, k, k, k, k);
  fputs("\n", f);
}
