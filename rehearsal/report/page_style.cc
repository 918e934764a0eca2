#include "rehearsal/report/page_style.h"

namespace reprise::rehearsal {

const std::string_view kPageStyle = R"css(
:root{
  --back:#f7f7f5;--sheet:#ffffff;--ink:#191c20;--soft:#5a616b;--rule:#e3e4e6;--grid:#ededee;
  --good:#1f7a4d;--bad:#b3261e;
  --focus:#1a5fb4;--available:#bfdccb;--hatch-back:#f3e7e4;--hatch-line:#dcaea6;--waiting:#e2e4e8;--starting:#a8c4e6;
  --training:#2f67b1;--saving:#7d52b3;--interrupted:#dd9a2b;--stopped:#aeb4bd;--done:#86c5a2;--ready:#8fa6bf;
  --failed:#c23b30;
  --notice:#b56a00;--glyph:#191c20;--halo:#ffffff}
@media (prefers-color-scheme:dark){:root{
  --back:#111316;--sheet:#191c20;--ink:#eceef0;--soft:#a3abb5;--rule:#2d3137;--grid:#24282d;
  --good:#5cc68d;--bad:#ff8a80;
  --focus:#8ab4f8;--available:#2c5541;--hatch-back:#2b2221;--hatch-line:#6d413b;--waiting:#343941;--starting:#3d5a80;
  --training:#5b95e0;--saving:#a981dd;--interrupted:#dea545;--stopped:#5d646e;--done:#2f6e4e;--ready:#56697f;
  --failed:#e06a60;
  --notice:#f0b255;--glyph:#f4f5f6;--halo:#191c20}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--back);color:var(--ink);
  font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;
  font-variant-numeric:tabular-nums}
main,footer{max-width:1240px;margin:0 auto;padding:0 clamp(16px,3vw,40px)}
main{padding-top:clamp(28px,5vw,56px)}
h1,h2,p,dl,dd,ul,figure{margin:0;padding:0}
h1{font-size:clamp(1.75rem,1.2rem + 2.2vw,2.6rem);line-height:1.15;letter-spacing:-.02em;font-weight:650;
  text-wrap:balance}
h2{font-size:1.125rem;line-height:1.3;font-weight:650;letter-spacing:-.005em;margin-bottom:12px}
section{margin-top:clamp(28px,4vw,44px)}
.title{color:var(--soft);font-size:.9375rem;margin-bottom:8px;overflow-wrap:anywhere}
.verdict{display:flex;gap:14px;align-items:flex-start}
.seal{flex:none;width:clamp(32px,3.6vw,44px);height:auto;margin-top:clamp(0px,.2vw,2px)}
.sign{width:.78em;height:.78em;margin-right:.35em;vertical-align:-.03em}
.seal circle,.sign circle{fill:currentColor}
.seal path,.sign path{fill:none;stroke:var(--sheet);stroke-width:2.4;stroke-linecap:round;stroke-linejoin:round}
.good{color:var(--good)}.bad{color:var(--bad)}
.subtitle{margin-top:12px;max-width:68ch;color:var(--soft);font-size:1.0625rem;overflow-wrap:anywhere}
.reasons{list-style:none;margin-top:18px;max-width:76ch;border-left:3px solid var(--bad);padding:2px 0 2px 16px}
.reasons li{overflow-wrap:anywhere}.reasons li+li{margin-top:8px}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,250px),1fr));gap:1px;background:var(--sheet);
  border:1px solid var(--rule);border-radius:10px;overflow:hidden}
.tile{background:var(--sheet);padding:14px 18px 16px;min-width:0;box-shadow:0 0 0 1px var(--rule)}
.tile dt{font-size:.8125rem;color:var(--soft);overflow-wrap:anywhere}
.tile dd{font-size:1.375rem;line-height:1.25;font-weight:600;letter-spacing:-.01em;margin-top:2px;
  overflow-wrap:anywhere}
.tile dd.note{font-size:.8125rem;line-height:1.4;font-weight:400;letter-spacing:0;margin-top:3px}
.note,figcaption{color:var(--soft);font-size:.8125rem}
figcaption,p.note{margin-top:10px}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.timeline{background:var(--sheet);border:1px solid var(--rule);border-radius:10px;padding:16px 20px 12px}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;list-style:none;font-size:.8125rem;color:var(--soft)}
.legend li{display:inline-flex;align-items:center;gap:7px;min-height:20px}
.legend svg{flex:none;overflow:visible}
.chart{display:grid;grid-template-columns:clamp(128px,15vw,188px) minmax(0,1fr);position:relative;margin-top:6px}
.names{font-size:.8125rem;line-height:1.25;min-width:0}
.names>div{overflow:hidden;padding-right:14px}
.heading{display:flex;align-items:flex-end;padding-bottom:10px;font-weight:650;font-size:.8125rem}
.heading small{margin-left:8px;color:var(--soft);font-weight:400;font-size:.75rem}
.name{display:flex;flex-direction:column;justify-content:center;color:var(--ink)}
.name span,.name small{display:block;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.name small{font-size:.75rem;color:var(--soft)}
.name.job{justify-content:flex-start;padding-top:10px}.name.job span{font-weight:600}
.name.rank{padding-left:12px}.name.rank,.name.node,.name.zone{color:var(--soft)}
.unit{font-size:.75rem;color:var(--soft);text-align:right;line-height:30px;height:30px}
.tracks{display:block;overflow:visible;min-width:0}
.grid line{stroke:var(--grid)}
.rule{stroke:var(--rule)}
.axis text{font-size:12px;fill:var(--soft)}
.lane rect{stroke:var(--sheet);stroke-width:.75}
.lane rect:hover{stroke:var(--ink);stroke-width:1.5}
.s-available{fill:var(--available)}.s-unavailable{fill:url(#hatch)}.s-waiting{fill:var(--waiting)}
.s-starting{fill:var(--starting)}.s-training{fill:var(--training)}.s-saving{fill:var(--saving)}
.s-interrupted{fill:var(--interrupted)}.s-stopped{fill:var(--stopped)}.s-done{fill:var(--done)}
.s-ready{fill:var(--ready)}.s-failed{fill:var(--failed)}
.hatch-back{fill:var(--hatch-back)}.hatch-line{fill:var(--hatch-line)}
.rank rect{opacity:.72}
.progress{overflow:visible}
.progress path{vector-effect:non-scaling-stroke;fill:none}
.progress .area{fill:var(--training);opacity:.13}
.progress .line{stroke:var(--training);stroke-width:1.75;stroke-linejoin:round}
.progress .gap{stroke:var(--soft);stroke-width:1;stroke-dasharray:2 3;opacity:.8}
.mark{fill:var(--glyph);stroke:var(--halo);stroke-width:1.5;paint-order:stroke;stroke-linejoin:round}
.m-checkpoint{fill:var(--saving)}
.m-torn-checkpoint{fill:none;stroke:var(--bad);stroke-width:1.75}
.m-notice{fill:var(--notice)}
.m-kill{fill:none;stroke:var(--bad);stroke-width:2.5;stroke-linecap:round}
.m-loss{fill:var(--bad)}
.m-end{fill:var(--good)}
.scroll{overflow-x:auto;background:var(--sheet);border:1px solid var(--rule);border-radius:10px}
table{border-collapse:collapse;width:100%;font-size:.875rem;white-space:nowrap}
th,td{padding:8px 14px;text-align:left;font-weight:400;border-top:1px solid var(--rule)}
thead th{border-top:0;color:var(--soft);font-size:.8125rem;vertical-align:bottom;background:var(--sheet)}
tbody th{font-weight:600}
.number{text-align:right}
tbody tr:hover{background:var(--back)}
.findings{background:var(--sheet);border:1px solid var(--rule);border-radius:10px;font-size:.875rem}
.findings div{display:grid;grid-template-columns:minmax(0,2fr) minmax(0,3fr);gap:2px 20px;padding:8px 18px}
.findings div+div{border-top:1px solid var(--rule)}
.findings dt{color:var(--soft)}.findings dt,.findings dd{overflow-wrap:anywhere}
details{background:var(--sheet);border:1px solid var(--rule);border-radius:10px;overflow:hidden}
summary{cursor:pointer;padding:12px 18px;font-weight:650}
summary span{color:var(--soft);font-weight:400;font-size:.875rem;margin-left:6px}
pre{margin:0;padding:12px 18px 16px;border-top:1px solid var(--rule);max-height:28rem;overflow:auto;
  font:.8125rem/1.55 ui-monospace,"SF Mono",Menlo,Consolas,monospace;tab-size:4}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
pre:focus-visible,.scroll:focus-visible,summary:focus-visible{outline-offset:-3px}
footer{color:var(--soft);font-size:.8125rem;padding-top:28px;padding-bottom:40px}
@media (max-width:680px){
  .findings div{grid-template-columns:minmax(0,1fr);padding:8px 14px}
  .tiles{grid-template-columns:repeat(2,minmax(0,1fr))}
  .tile{padding:12px 14px}.tile dd{font-size:1.1875rem}
  .timeline{padding:14px 14px 10px}
  .chart{grid-template-columns:minmax(0,1fr)}
  .names{position:absolute;inset:0;pointer-events:none}
  .names>div{padding-right:0}
  .name,.name.job{justify-content:flex-start;padding-top:0;line-height:1.15}
  .name.job{flex-direction:row;gap:10px;align-items:baseline}
  .name span{font-size:.75rem}.name.rank{padding-left:0}.name small{font-size:.6875rem}
  .unit{text-align:left;visibility:hidden}
  .zone .track,.node .track,.rank .track{transform:translateY(5px)}
  .job .track{transform:translateY(8px)}
  .axis .minor,.grid .minor{display:none}}
@media print{body{background:none}details>pre{max-height:none}}
)css";

}  // namespace reprise::rehearsal
