/** The string checks that validation needs from outside this folder. */
export interface TextChecks {
  /** Whether a text matches an RE2 pattern; a string describes a problem in the pattern. Undefined if that would take too long. */
  matches(pattern: string, text: string): boolean | string | undefined;
  /** The check of an OpenAPI format; undefined if the server does not know it. */
  format(name: string): ((text: string) => boolean) | undefined;
}
