export declare const MAX_FIRST_VIEW_BYTES: number;

export declare function buildDashboard(target?: string): Promise<{
  readonly inputs: readonly string[];
  readonly firstBytes: number;
  readonly sizes: ReadonlyMap<string, number>;
}>;
