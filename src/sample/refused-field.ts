const START = 'the field '

/** The message of an error that refuses a field of ours: the field and the setting that leaves it out come first. */
export function refusedFieldMessage(field: string, advice: string, rest: string): string {
  return `${START}${field} was refused (${advice}): ${rest}`
}

/** Whether a message is one of {@link refusedFieldMessage}: the same request will be refused for ever. */
export function namesRefusedField(message: string): boolean {
  return message.startsWith(START) && message.includes(' was refused (')
}
