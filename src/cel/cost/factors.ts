/** The base costs of the language, which Kubernetes keeps stable. */
export const LIST_CREATE = 10;
export const MAP_CREATE = 30;
export const STRUCT_CREATE = 40;
/** For passing through a text once, for each character. */
export const STRING_FACTOR = 0.1;
/** For applying a pattern to a text, for each character of the pattern. */
export const REGEX_FACTOR = 0.25;
