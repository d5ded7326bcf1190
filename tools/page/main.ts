import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import type { Browser } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { pages } from './pages.ts'

/**
 * Looks at `report.html` in headless Chromium: three widths, two schemes, print; accessibility by axe; no request but for the file.
 * `node tools/page/main.ts [DIR]`; screenshots go to DIR. Exit 1 with every fault.
 */

const WIDTHS = [360, 768, 1280]
const SCHEMES = ['light', 'dark'] as const
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly help: string
    readonly nodes: readonly { readonly html: string }[]
  }[]
}

// expressions of the page's own world, which has no types here
const UNFOLD = "document.querySelectorAll('details').forEach((details) => { details.open = true })"
const BACKGROUND = 'getComputedStyle(document.body).backgroundColor'
const SMALL =
  "[...document.querySelectorAll('svg text')].filter((text) => text.getBoundingClientRect().height < 8).length"
const HIDDEN =
  "[...document.querySelectorAll('details table')].filter((table) => table.getBoundingClientRect().height === 0).length"
const OUTSIDE = `[...document.querySelectorAll('figure > svg')].flatMap((svg) => {
  const box = svg.getBoundingClientRect()
  return [...svg.querySelectorAll('text')].filter((text) => {
    const own = text.getBoundingClientRect()
    return own.left < box.left - 1 || own.right > box.right + 1
  }).map((text) => text.textContent)
})`

const OVERLAPS = `[...document.querySelectorAll('figure > svg')].flatMap((svg) => {
  const texts = [...svg.querySelectorAll('text')].map((text) => ({ said: text.textContent, box: text.getBoundingClientRect() }))
  return texts.flatMap((one, at) => texts.slice(at + 1).filter(({ box }) =>
    one.box.left < box.right - 1 && box.left < one.box.right - 1 && one.box.top < box.bottom - 3 && box.top < one.box.bottom - 3
  ).map((other) => one.said + ' / ' + other.said))
})`

async function accessibility(
  browser: Browser,
  url: string,
  scheme: (typeof SCHEMES)[number],
  width: number,
): Promise<string[]> {
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 900 }, bypassCSP: true })
  try {
    const page = await context.newPage()
    await page.goto(url)
    // what is folded is read, too
    await page.evaluate(UNFOLD)
    await page.evaluate(axe.source)
    const run = `axe.run(document, { runOnly: ${JSON.stringify(TAGS)} })`
    const { violations } = await page.evaluate<AxeResults>(run)
    return violations.map(
      ({ id, help, nodes }) => `axe ${id}: ${help} (${nodes.length}×, as ${nodes[0]?.html.slice(0, 160) ?? ''})`,
    )
  } finally {
    await context.close()
  }
}

/** As a reader has it: no script runs. */
async function look(
  browser: Browser,
  url: string,
  scheme: (typeof SCHEMES)[number],
  width: number,
  shot: string,
): Promise<string[]> {
  const faults: string[] = []
  const context = await browser.newContext({ colorScheme: scheme, viewport: { width, height: 900 } })
  try {
    const requests: string[] = []
    context.on('request', (request) => requests.push(request.url()))
    const page = await context.newPage()
    page.on('console', (message) => faults.push(`console: ${message.text()}`))
    await page.goto(url)
    // time enough for a request that nobody wants
    await page.waitForTimeout(100)
    const image = await page.screenshot({ path: shot, fullPage: true })
    if (image.length < 10_000) faults.push(`the screenshot has ${image.length} bytes: is the page empty?`)
    const others = requests.filter((each) => each !== url)
    if (requests.length !== 1 || others.length > 0)
      faults.push(`requests beside the file: ${others.join(', ') || 'it was loaded twice'}`)
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
    if (wide > width) faults.push(`the page is ${wide} px wide`)
    const background = await page.evaluate<string>(BACKGROUND)
    if ((background === 'rgb(255, 255, 255)') === (scheme === 'dark')) faults.push(`the background is ${background}`)
    const small = await page.evaluate<number>(SMALL)
    if (small > 0) faults.push(`${small} texts of charts are lower than 8 px`)
    const outside = await page.evaluate<string[]>(OUTSIDE)
    if (outside.length > 0) faults.push(`texts of charts are cut: ${outside.slice(0, 5).join(', ')}`)
    const overlaps = await page.evaluate<string[]>(OVERLAPS)
    if (overlaps.length > 0) faults.push(`texts of charts overlap: ${overlaps.slice(0, 5).join(', ')}`)
  } finally {
    await context.close()
  }
  return faults
}

/** Paper: light, and what is folded on the screen is there. */
async function print(browser: Browser, url: string, file: string): Promise<string[]> {
  const context = await browser.newContext({ colorScheme: 'dark' })
  try {
    const page = await context.newPage()
    await page.goto(url)
    await page.emulateMedia({ media: 'print' })
    const background = await page.evaluate<string>(BACKGROUND)
    const hidden = await page.evaluate<number>(HIDDEN)
    const pdf = await page.pdf({ path: file, format: 'A4' })
    return [
      ...(background === 'rgb(255, 255, 255)' ? [] : [`printed on ${background}`]),
      ...(hidden === 0 ? [] : [`${hidden} tables are not printed`]),
      ...(pdf.length > 5000 ? [] : ['the print is empty']),
    ]
  } finally {
    await context.close()
  }
}

const dir = resolve(process.argv[2] ?? 'slo-report/page')
await mkdir(dir, { recursive: true })
const browser = await openBrowser()
const faults: string[] = []
let looks = 0
try {
  for (const [name, html] of Object.entries(pages())) {
    const file = join(dir, `${name}.html`)
    await writeFile(file, html)
    const url = pathToFileURL(file).href
    for (const scheme of SCHEMES) {
      for (const width of WIDTHS) {
        const place = `${name} at ${width} px, ${scheme}`
        const shot = join(dir, `${name}-${width}-${scheme}.png`)
        const found = [
          ...(await look(browser, url, scheme, width, shot)),
          // widths change what is shown, schemes only colours
          ...(scheme === 'light' || width === 1280 ? await accessibility(browser, url, scheme, width) : []),
        ]
        faults.push(...found.map((fault) => `${place}: ${fault}`))
        looks += 1
      }
    }
    faults.push(...(await print(browser, url, join(dir, `${name}.pdf`))).map((fault) => `${name}, printed: ${fault}`))
  }
} finally {
  await browser.close()
}
for (const fault of faults) console.log(fault)
console.log(`${looks} looks at ${Object.keys(pages()).length} pages, ${faults.length} faults; screenshots in ${dir}`)
process.exitCode = faults.length === 0 ? 0 : 1
