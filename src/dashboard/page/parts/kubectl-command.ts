/** Puts a command together; words that a shell would read as something else are quoted. */
export function kubectl(...words: readonly (string | undefined | false)[]): string {
  const given = words.filter((word): word is string => typeof word === 'string' && word !== '');
  return ['kubectl', ...given.map(quote)].join(' ');
}

export function inNamespace(namespace: string | undefined): string[] {
  return namespace === undefined || namespace === '' ? [] : ['-n', namespace];
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
