/** What judging texts takes besides this folder. */
export interface TextChecks {
  /** Whether a text matches a pattern in the syntax of RE2; a string says what is wrong with the pattern. */
  matches(pattern: string, text: string): boolean | string;
  /** The check of a format of OpenAPI; undefined when the server does not know it. */
  format(name: string): ((text: string) => boolean) | undefined;
}
