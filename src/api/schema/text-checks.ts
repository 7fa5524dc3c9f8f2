/** The string checks that validation needs from outside this folder. */
export interface TextChecks {
  /** Whether a text matches an RE2 pattern; a string describes a problem in the pattern. */
  matches(pattern: string, text: string): boolean | string;
  /** The check of an OpenAPI format; undefined if the server does not know it. */
  format(name: string): ((text: string) => boolean) | undefined;
}
