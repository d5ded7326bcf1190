import { resolve } from 'node:path'
import { configDefaults } from 'vitest/config'
import type { Plugin, ViteUserConfig } from 'vitest/config'
import type { PoolOptions, TestProject, TestSequencer, TestSpecification, Vitest } from 'vitest/node'
import { requireNode } from '../node-version.ts'
import { createGate } from './gate.ts'
import type { Gate } from './gate.ts'
import { resolveSloOptions } from './plugin-options.ts'
import type { ResolvedSloOptions, SloOptions } from './plugin-options.ts'
import { SloPoolWorker } from './pool-worker.ts'
import { PROJECT, declareProjects } from './projects.ts'
import { inSpec } from './spec-error.ts'
import { SloReporter } from './reporter.ts'

/** One gate for each Vitest, however many projects inherit the plugin. */
const gates = new WeakMap<Vitest, Gate>()

/**
 * What keeps all spec files in ONE task, after unit tests; flags of the command line override project settings, so it is
 * said again before every run.
 */
function keepTogether(project: TestProject): void {
  const { config, vitest } = project
  const others = vitest.projects.filter((each) => each !== project)
  const groupOrder = Math.max(0, ...others.map((each) => each.config.sequence.groupOrder)) + 1
  Object.assign(config, {
    isolate: false,
    maxWorkers: 1,
    retry: 0,
    testTimeout: 0,
    hookTimeout: 0,
    fileParallelism: false,
  })
  Object.assign(config.sequence, { groupOrder, concurrent: false, shuffle: false })
}

function attach(vitest: Vitest, project: TestProject, options: ResolvedSloOptions): void {
  const gate = createGate(vitest, options)
  gates.set(vitest, gate)
  keepTogether(project)
  Object.assign(project.config, {
    pool: PROJECT,
    poolRunner: {
      name: PROJECT,
      createPoolWorker: (pool: PoolOptions) => new SloPoolWorker(pool, gate.hooks(pool.method)),
    },
    include: [...options.include],
  })
  vitest.config.reporters.push(new SloReporter(gate))
  const { sequence } = vitest.config
  const Sequencer = sequence.sequencer
  sequence.sequencer = class implements TestSequencer {
    readonly #own: TestSequencer

    constructor(owner: Vitest) {
      this.#own = new Sequencer(owner)
    }

    shard(files: TestSpecification[]): ReturnType<TestSequencer['shard']> {
      return this.#own.shard(files)
    }

    sort(files: TestSpecification[]): ReturnType<TestSequencer['sort']> {
      keepTogether(project)
      return this.#own.sort(files)
    }
  }
  const collect = vitest.collect.bind(vitest)
  // probe() is found by running the files, not by reading them
  vitest.collect = (filters, collectOptions) => collect(filters, { ...collectOptions, staticParse: false })
}

const warned = new WeakSet<Vitest>()

/** `slo()` in the configuration of one project of several would be silent: the probes' project stands beside them. */
function warnOfMisplacement(vitest: Vitest): void {
  const filtered = [vitest.config.project ?? []].flat().length > 0
  if (filtered || warned.has(vitest) || vitest.projects.some((each) => each.name === PROJECT)) return
  warned.add(vitest)
  vitest.logger.warn(
    "vitest-slo: no probe can run: slo() belongs in the plugins of the root config, not of a project's own",
  )
}

/**
 * The Vitest plugin: probes of `**\/*.probe.ts` are sampled on one schedule, the budgets of `slo.yaml` become tests.
 * @throws SloError `CONFIG_INVALID` for a wrong option
 */
export function slo(options: SloOptions = {}): Plugin {
  inSpec(() => requireNode(process.versions.node))
  const resolved = resolveSloOptions(options)
  return {
    name: 'vitest-slo',
    config(config: ViteUserConfig): ViteUserConfig | null {
      const test = config.test ?? {}
      const projects = declareProjects(test, resolved.include, configDefaults.exclude)
      if (config.test !== undefined) delete config.test.projects
      return { test: { projects: [...projects] } }
    },
    configureVitest({ vitest, project }) {
      if (gates.has(vitest)) return
      if (project.name !== PROJECT) {
        warnOfMisplacement(vitest)
        return
      }
      attach(vitest, project, { ...resolved, outDir: resolve(vitest.config.root, resolved.outDir) })
    },
  }
}
