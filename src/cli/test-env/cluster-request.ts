/** What is asked of the server of test clusters, in one line of JSON. The cluster lives as long as the connection. */
export interface ClusterRequest {
  readonly nodes: number;
  /** As for `chooseControllers`; empty for none. */
  readonly controllers: string;
  readonly scheduler: boolean;
  readonly runtimeConfig: readonly string[];
  readonly enableAdmission: readonly string[];
  readonly disableAdmission: readonly string[];
}

/** Its answer, in one line of JSON. */
export type ClusterAnswer =
  | { readonly kubeconfig: string; readonly server: string; readonly problem?: undefined }
  | { readonly problem: string };

/** The name of the server's socket in its folder. */
export const SOCKET = 'socket';

const MAX_LINE = 1024 * 1024;

/** The first line that comes over a connection; rejects when it ends before, or is too long. */
export function readLine(connection: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (part: Buffer | string): void => {
      text += part.toString();
      const end = text.indexOf('\n');
      if (end < 0 && text.length <= MAX_LINE) return;
      connection.off('data', read);
      if (end < 0) reject(new Error(`the line is longer than ${MAX_LINE} characters`));
      else resolve(text.slice(0, end));
    };
    connection.on('data', read);
    connection.once('error', reject);
    connection.once('close', () => reject(new Error('the connection was closed')));
  });
}
