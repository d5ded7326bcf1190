/** The page's one style sheet: light and dark, 360 px, print. Series colours are Okabe and Ito's, told apart by any eye. */
export const STYLE = `
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--soft:#57606a;--line:#d0d7de;--card:#f6f8fa;--good:#116329;--bad:#b3161b;--warn:#7a4b00;--link:#0550ae;
--s0:#0072b2;--s1:#c05000;--s2:#00795a;--s3:#a9377f;--s4:#7a6500;--s5:#3a7fb5;--limit:#b3161b}
@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--soft:#9aa4af;--line:#3a424c;--card:#161b22;--good:#56d364;--bad:#ff8a80;--warn:#e3b341;--link:#79b8ff;
--s0:#56b4e9;--s1:#ff9b42;--s2:#2fd0a3;--s3:#e79bc9;--s4:#f0e442;--s5:#9ecbff;--limit:#ff8a80}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main,header,footer{max-width:72rem;margin:0 auto;padding:0 1rem}
header{padding-top:1.5rem}
h1{font-size:1.6rem;line-height:1.25;margin:.2rem 0}
h2{font-size:1.3rem;margin:2.2rem 0 .6rem;padding-bottom:.2rem;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
h3{font-size:1.05rem;margin:1.4rem 0 .4rem;overflow-wrap:anywhere}
p{margin:.4rem 0;max-width:46rem}
a{color:var(--link)}
.soft{color:var(--soft)}
.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}
.counts{font-size:1.1rem;font-weight:600}
.banner{border:2px solid var(--bad);border-radius:.4rem;padding:.5rem .8rem;font-weight:700;color:var(--bad);margin:.8rem 0}
nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;padding:0;margin:.8rem 0}
nav li{overflow-wrap:anywhere}
.scroll{overflow-x:auto;margin:.6rem 0;border:1px solid var(--line);border-radius:.4rem}
.scroll:focus-visible,summary:focus-visible,a:focus-visible{outline:3px solid var(--link);outline-offset:2px}
table{border-collapse:collapse;width:100%;font-size:.86rem}
caption{text-align:left;padding:.4rem .6rem;color:var(--soft);font-weight:600}
th,td{padding:.28rem .5rem;border-top:1px solid var(--line);text-align:left;vertical-align:top;white-space:nowrap}
th[scope=row] .soft{font-weight:400}
th[scope=row]{font-weight:600;white-space:normal;min-width:7rem;max-width:20rem;overflow-wrap:anywhere}
td.w{white-space:normal;min-width:13rem}
thead th{white-space:normal;background:var(--card);border-top:0}
.r{text-align:right;font-variant-numeric:tabular-nums}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1rem;margin:.8rem 0}
@media (min-width:48rem){th[scope=row]{min-width:9rem}}
figure{margin:0;border:1px solid var(--line);border-radius:.4rem;padding:.6rem;min-width:0}
figcaption{font-weight:600;margin-bottom:.2rem}
figure p{font-size:.85rem;color:var(--soft)}
svg{display:block;width:100%;height:auto;max-width:34rem}
svg text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:var(--fg)}
@media (max-width:30rem){svg text{font-size:15px}}
svg .tick{fill:var(--soft)}
svg .grid{stroke:var(--line);stroke-width:1}
svg .axis{stroke:var(--soft);stroke-width:1}
svg .limit-text{paint-order:stroke;stroke:var(--bg);stroke-width:3px}
svg .limit{stroke:var(--limit);stroke-width:1.5;stroke-dasharray:6 3}
svg .limit-text{fill:var(--limit);font-weight:600}
svg .gap{fill:var(--soft);opacity:.25}
svg .fail{stroke:var(--bad);stroke-width:1.8}
svg .line{fill:none;stroke-width:2}
${[0, 1, 2, 3, 4, 5].map((at) => `svg .line.s${at}{stroke:var(--s${at})}svg .dot.s${at}{fill:var(--s${at})}svg .dots.s${at}{stroke:var(--s${at})}.key.s${at}{color:var(--s${at})}`).join('')}
svg .dot{opacity:.75}
svg .dots{fill:none;stroke-width:4.8;stroke-linecap:round;opacity:.75}
svg .d1{stroke-dasharray:7 3}svg .d2{stroke-dasharray:2 3}svg .d3{stroke-dasharray:9 3 2 3}svg .d4{stroke-dasharray:12 4}svg .d5{stroke-dasharray:4 4}
.keys{display:flex;flex-wrap:wrap;gap:.1rem .9rem;list-style:none;margin:.2rem 0;padding:0;font-size:.85rem}
.keys svg{display:inline-block;width:1.6rem;height:.7rem;vertical-align:middle;margin-right:.3rem}
.keys li{overflow-wrap:anywhere}
.told{margin:1rem 0 0;max-width:none;overflow-wrap:anywhere}
details{margin:.4rem 0}
summary{cursor:pointer;color:var(--link);font-size:.9rem;padding:.2rem 0}
pre{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:.4rem;padding:.6rem;font-size:.82rem;line-height:1.4}
footer{color:var(--soft);font-size:.85rem;padding-top:1.5rem;padding-bottom:2rem}
@media print{:root{color-scheme:light;--bg:#fff;--fg:#000;--soft:#444;--line:#bbb;--card:#fff;--good:#116329;--bad:#a00;--warn:#7a4b00;--link:#000;--s0:#0072b2;--s1:#c05000;--s2:#00795a;--s3:#a9377f;--s4:#7a6500;--s5:#3a7fb5;--limit:#a00}
body{font-size:10pt}main,header,footer{max-width:none;padding:0}nav,summary{display:none}details::details-content{content-visibility:visible;display:block;block-size:auto}
.scroll{overflow:visible;border:0}table{font-size:7.5pt}th,td{padding:.12rem .3rem;white-space:normal}td.w{min-width:0}th[scope=row]{min-width:0}pre{white-space:pre-wrap}figure,tr{break-inside:avoid}h2,h3{break-after:avoid}.charts{grid-template-columns:1fr 1fr}}
`
