import { dirname, relative, resolve } from 'node:path'
import type { CellKey } from '../budget/types.ts'
import { SloError } from '../errors.ts'
import { openCsv, readRows } from '../sample/csv-file.ts'
import type { CsvFile } from '../sample/csv-file.ts'
import type { OnRow } from '../sample/csv-rows.ts'
import { checkFormat, checkHeader, RowDecoder } from '../sample/decode-row.ts'
import { readRunLines, SeenRows } from '../sample/index.ts'
import { SampleTable } from '../sample/sample-table.ts'
import type { RunEnd, RunLine, RunSelection, RunStart, Sample } from '../sample/types.ts'
import { historyOf } from '../vitest/baselines.ts'
import type { Baselines } from '../vitest/baselines.ts'
import { checkMaps, foreignReader } from './foreign-columns.ts'
import type { ColumnMap } from './foreign-columns.ts'

/** One run as a CSV and the `runs.jsonl` beside it tell it. */
export interface LoadedRun {
  readonly id: string
  /** As shown to people. */
  readonly file: string
  /** `null`: no `runs.jsonl` knows the run. */
  readonly start: RunStart | null
  /** `null`: unknown, or the run was killed and wrote no end. */
  readonly end: RunEnd | null
  /** What a narrowed run left out. */
  readonly selection: RunSelection | null
  /** Those that count, in the order in which they were asked. */
  readonly samples: readonly Sample[]
  /** Rows of runs before it, for windows; empty unless asked for. */
  readonly earlier: readonly Sample[]
  /** Passing runs before it, for baselines; empty unless asked for. */
  readonly history: Baselines
  /** Cells of samples that we cut ourselves. */
  readonly aborted: readonly CellKey[]
}

/** Which runs of a file. */
export type RunChoice =
  | { readonly kind: 'newest' }
  | { readonly kind: 'all' }
  | { readonly kind: 'id'; readonly id: string }

/** How files are read. */
export interface LoadOptions {
  readonly cwd: string
  readonly choice: RunChoice
  readonly maps: readonly ColumnMap[]
  /** Some budget looks back: rows of runs before the wanted ones are read too. */
  readonly earlier: boolean
  /** Told of what was passed over. */
  readonly note: (message: string) => void
}

/** The run that was active last: by its rows, or by the log, where a run without any row is newer. */
function newestRun(file: CsvFile, lines: readonly RunLine[]): string | null {
  const byRow = file.last?.[1] ?? null
  const logged = lines.findLast((line) => line.type !== 'end')?.run_id ?? null
  if (byRow === null) return logged
  return lines.some((line) => line.run_id === byRow) ? (logged ?? byRow) : byRow
}

function isWanted(id: string, choice: RunChoice, newest: string | null): boolean {
  if (choice.kind === 'all') return true
  return id === (choice.kind === 'id' ? choice.id : newest)
}

interface Collected {
  readonly samples: Sample[]
  readonly aborted: Map<string, CellKey>
}

/** Every whole row behind the header. */
async function readDataRows(file: CsvFile, onRow: OnRow): Promise<void> {
  let isHeader = true
  await readRows(file.path, file.whole, file, (cells, line) => {
    if (isHeader) isHeader = false
    else onRow(cells, line)
  })
}

function collect(runs: Map<string, Collected>, id: string, sample: Sample): void {
  let run = runs.get(id)
  if (run === undefined) {
    run = { samples: [], aborted: new Map() }
    runs.set(id, run)
  }
  if (sample.outcome === 'error' && sample.error_kind === 'aborted') {
    const { probe, target, prompt } = sample
    run.aborted.set(JSON.stringify([probe, target, prompt]), { probe, target, prompt })
  } else run.samples.push(sample)
}

function runOf(id: string, file: string, collected: Collected | undefined, lines: readonly RunLine[]): LoadedRun {
  const own = lines.filter((line) => line.run_id === id)
  const start = own.find((line) => line.type === 'start') ?? null
  const last = own.at(-1)
  return {
    id,
    file,
    start,
    end: last?.type === 'end' ? last : null,
    selection: start?.selection ?? null,
    samples: collected?.samples ?? [],
    earlier: [],
    history: [],
    aborted: [...(collected?.aborted.values() ?? [])],
  }
}

async function loadOwn(file: CsvFile, options: LoadOptions): Promise<LoadedRun[]> {
  const { choice, note } = options
  if (file.last !== null) checkFormat(file.last[0], { file: file.name, line: 2 })
  checkHeader(file.header, file.name)
  const log = await readRunLines(dirname(file.path))
  for (const { message } of log.notes) note(message)
  if (file.torn > 0) note(`${file.name}: the last row is torn (${file.torn} bytes) and was passed over`)
  const newest = newestRun(file, log.lines)
  const runs = new Map<string, Collected>()
  const seen = new Set<string>()
  const table = new SampleTable()
  const decoder = new RowDecoder(file.name, file.header.length)
  const rows = new SeenRows(file.name)
  await readDataRows(file, (cells, line) => {
    const id = cells[1] ?? ''
    seen.add(id)
    if (!options.earlier && !isWanted(id, choice, newest)) return
    const sample = table.addValues(decoder.decode(cells, line))
    rows.add(sample, line)
    collect(runs, id, sample)
  })
  const wanted = choice.kind === 'all' ? [...seen] : [choice.kind === 'id' ? choice.id : (newest ?? '')]
  const unfair = new Set(
    log.lines.flatMap((line) => (line.type === 'end' && line.stopped_early === true ? [line.run_id] : [])),
  )
  const earlierThan = (run: LoadedRun): readonly Sample[] => {
    const from = run.start?.started_at ?? run.samples[0]?.started_at ?? ''
    return [...runs].flatMap(([id, { samples }]) =>
      wanted.includes(id) || unfair.has(id) || (samples[0]?.started_at ?? '') >= from ? [] : samples,
    )
  }
  const known = wanted.filter((id) => runs.has(id) || log.lines.some((line) => line.run_id === id))
  if (choice.kind === 'newest' && known.length === 0) throw noSample(file.name)
  if (choice.kind === 'newest' && seen.size > 1)
    note(`${file.name} holds ${seen.size} runs: the newest is judged (--runs all pools them)`)
  return known.map((id) => {
    const run = runOf(id, file.name, runs.get(id), log.lines)
    if (!options.earlier) return run
    const earlier = earlierThan(run)
    return { ...run, earlier, history: historyOf(earlier, log.lines, id) }
  })
}

function noSample(name: string): SloError {
  return new SloError('SAMPLES_UNREADABLE', `${name} holds no sample`, {
    hint: 'no data is not a pass: name a CSV with rows',
  })
}

async function loadForeign(file: CsvFile, options: LoadOptions): Promise<LoadedRun[]> {
  const { choice, maps } = options
  checkMaps(file, maps)
  const read = foreignReader(file, maps)
  const runs = new Map<string, Collected>()
  const table = new SampleTable()
  let last: string | null = null
  await readDataRows(file, (cells, line) => {
    const sample = table.add(read(cells, line))
    last = sample.run_id
    collect(runs, sample.run_id, sample)
  })
  if (runs.size === 0) throw noSample(file.name)
  return [...runs].flatMap(([id, run]) => (isWanted(id, choice, last) ? [runOf(id, file.name, run, [])] : []))
}

/**
 * Reads the wanted runs of several CSVs, row by row.
 * @throws SloError `SAMPLES_UNREADABLE`, `SAMPLES_VERSION`, `USAGE`
 */
export async function loadRuns(paths: readonly string[], options: LoadOptions): Promise<readonly LoadedRun[]> {
  const loaded: LoadedRun[] = []
  let foreign = 0
  for (const given of paths) {
    const path = resolve(options.cwd, given)
    const name = relative(options.cwd, path).startsWith('..') ? path : relative(options.cwd, path)
    const file = await openCsv(path, name)
    const isOwn = file.header[0] === 'format' && file.header[1] === 'run_id'
    if (!isOwn) foreign += 1
    const runs = isOwn ? await loadOwn(file, options) : await loadForeign(file, options)
    for (const run of runs) {
      const other = loaded.find((each) => each.id === run.id)
      if (other === undefined) loaded.push(run)
      else {
        throw new SloError(
          'USAGE',
          `run ${run.id} is in ${other.file} and in ${run.file}: its samples would count twice`,
          {
            hint: 'name each run once: a file that a run went on in holds its earlier rows too',
          },
        )
      }
    }
  }
  if (options.maps.length > 0 && foreign === 0)
    throw new SloError('USAGE', '--map is for CSVs of others, and every file is one of vitest-slo', {
      hint: 'leave --map out',
    })
  if (loaded.length === 0) {
    const id = options.choice.kind === 'id' ? options.choice.id : ''
    throw new SloError('USAGE', `no file holds a run ${id}`, {
      hint: 'the column run_id names the runs; leave --run out for the newest',
    })
  }
  return loaded
}
