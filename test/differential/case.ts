/** Which patch a body is. */
export type PatchName = 'json' | 'merge' | 'strategic' | 'apply';

/** What of an answer is compared: all of it, its status and headers, what an OpenAPI document describes, or the names in a list. */
export type Extent = 'all' | 'head' | 'openapi' | 'names';

/** One request of a case. */
export interface Step {
  /** Its line in the file, for messages. */
  readonly line: number;
  readonly method: string;
  /** With `{{variables}}`, as are headers and body. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: StepBody | undefined;
  /** Prepares for others: must succeed, and its answer is not compared. */
  readonly isSetup: boolean;
  /** Sent without a client certificate. */
  readonly isAnonymous: boolean;
  /** Sent with this user's token instead. */
  readonly user: string | undefined;
  /** Sent again and again until it has this status: what was written before has then been taken in by all caches. */
  readonly until: number | undefined;
  /** A watch is left after this many events. */
  readonly events: number | undefined;
  /** Variable name to the place of its value in the answer's body. */
  readonly saves: Readonly<Record<string, string>>;
  readonly extent: Extent;
  /** Headers to compare that are usually left out. */
  readonly moreHeaders: readonly string[];
}

export type StepBody =
  /** YAML that is sent as JSON, or as a patch in JSON. */
  | { readonly type: 'object'; readonly yaml: string; readonly patch: PatchName | undefined }
  /** YAML that is sent in Kubernetes' protobuf form. */
  | { readonly type: 'protobuf'; readonly yaml: string }
  /** Sent as it stands; the step has a Content-Type. */
  | { readonly type: 'raw'; readonly text: string };

/** A file of requests. */
export interface Case {
  readonly topic: string;
  readonly name: string;
  /** What it shows, from the file's first comment. */
  readonly title: string;
  /** Whether the namespace has a service account, which pods need. */
  readonly needsServiceAccount: boolean;
  readonly steps: readonly Step[];
  /** Of the file's text: a recording of another text does not count. */
  readonly digest: string;
}

/** `topic/name`, by which a case is known. */
export function caseId({ topic, name }: Pick<Case, 'topic' | 'name'>): string {
  return `${topic}/${name}`;
}
