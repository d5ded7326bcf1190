/** Invented notes of a service-operations log: the study's material, in our own words. */
const NOTES = [
  'The checkout queue grew to forty thousand messages after one consumer lost its lease and nobody was paged.',
  'Retries against the pricing service doubled its load within a minute because the backoff had no jitter.',
  'A cache eviction storm followed the nightly import and the hit rate took twenty minutes to recover.',
  'The wildcard certificate of the partner gateway expires on Friday and its rotation job has failed twice.',
  'A deploy of the search index was rolled back when the canary pool showed slow warm-up on cold disks.',
  'Two replicas of the session store disagree on clock time by more than three seconds since the reboot.',
  'The rate limiter counts health checks as user traffic and throttles the smallest region first.',
  'Log shipping stopped on the batch hosts because a full partition blocked the rotation of old files.',
  'A schema migration holds a lock on the orders table for longer than the connection pool will wait.',
  'The feature flag service answers from a stale snapshot whenever its leader election takes too long.',
  'Autoscaling added forty workers at noon but the database connection limit was reached long before.',
  'An alert on error budget burn was muted during the migration and never switched on again.',
] as const

/** The question at the end of every prompt, whatever its length. */
const TASK =
  'Write exactly 5 numbered points of about 40 words each on what the on-call engineer should check first, in order of urgency. ' +
  'Use only what the notes say, name the system in each point, and add neither an introduction nor a summary.'

function wordsOf(text: string): number {
  return text.split(' ').length
}

/** The study's user message: numbered notes, repeated to about `words` words, then the task. */
export function opsNotesText(words: number): string {
  const lines: string[] = []
  for (let count = 0; count < words;) {
    const note = NOTES[lines.length % NOTES.length] ?? NOTES[0]
    lines.push(`${lines.length + 1}. ${note}`)
    count += wordsOf(note)
  }
  return `Notes from the operations log:\n${lines.join('\n')}\n\n${TASK}`
}
