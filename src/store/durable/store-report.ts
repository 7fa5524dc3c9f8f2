export interface StoreProblem {
  readonly file: string;
  readonly offset: number;
  readonly description: string;
}

export interface FileReport {
  readonly name: string;
  readonly kind: 'manifest' | 'checkpoint' | 'segment';
  readonly bytes: number;
  /** What is in it: `1,204 entries at revision 99`, `12 frames, revisions 100 to 177`. */
  readonly contents: string;
}
