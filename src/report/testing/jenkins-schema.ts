import type { XmlElement } from './strict-xml.ts'

interface Rule {
  readonly required: readonly string[]
  readonly optional: readonly string[]
  readonly children: readonly string[]
  /** Only white space beside the children. */
  readonly text: boolean
}

const RESULT: Rule = { required: [], optional: ['type', 'message'], children: [], text: true }
const OUTPUT: Rule = { required: [], optional: [], children: [], text: true }

/** What Jenkins' junit-10.xsd allows. */
const RULES: Readonly<Record<string, Rule>> = {
  testsuites: {
    required: [],
    optional: ['name', 'time', 'tests', 'failures', 'errors'],
    children: ['testsuite'],
    text: false,
  },
  testsuite: {
    required: ['name', 'tests', 'failures', 'errors'],
    optional: ['skipped', 'time', 'timestamp', 'hostname', 'id', 'package', 'file'],
    children: ['testcase'],
    text: false,
  },
  testcase: {
    required: ['name'],
    optional: ['time', 'classname', 'group'],
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
    text: false,
  },
  skipped: RESULT,
  error: RESULT,
  failure: RESULT,
  'system-out': OUTPUT,
  'system-err': OUTPUT,
}

/** Every way in which the document breaks the schema; empty where it is valid. */
export function jenkinsProblems(element: XmlElement): string[] {
  const rule = RULES[element.name]
  if (rule === undefined) return [`unknown element ${element.name}`]
  const given = Object.keys(element.attributes)
  const problems = [
    ...rule.required.filter((name) => !given.includes(name)).map((name) => `${element.name} lacks ${name}`),
    ...given
      .filter((name) => !rule.required.includes(name) && !rule.optional.includes(name))
      .map((name) => `${element.name} has ${name}`),
    ...element.children
      .filter((child) => !rule.children.includes(child.name))
      .map((child) => `${child.name} in ${element.name}`),
  ]
  if (!rule.text && element.text.trim() !== '') problems.push(`text in ${element.name}`)
  const time = element.attributes['time']
  if (time !== undefined && !/^\d+(\.\d+)?$/.test(time)) problems.push(`time ${time}`)
  return [...problems, ...element.children.flatMap(jenkinsProblems)]
}
