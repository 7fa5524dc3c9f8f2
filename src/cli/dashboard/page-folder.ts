import { join } from 'node:path';

/** The folder of the dashboard's page: beside the program where it is built, or where the build puts it. */
export function pageFolder(): string {
  const folder = import.meta.dirname;
  return import.meta.filename.endsWith('.ts')
    ? join(folder, '..', '..', '..', 'dist', 'dashboard')
    : join(folder, 'dashboard');
}
