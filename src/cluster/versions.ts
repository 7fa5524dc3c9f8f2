import type { VersionInfo } from '../apiserver/index.ts';
import { keelsonVersion, KUBERNETES_VERSION } from '../base/index.ts';

/**
 * What `/version` answers: the release that clients adapt to, with Keelson's own version in the build metadata.
 * `reported` replaces both.
 */
export function versionInfo(reported?: string): VersionInfo {
  const [major = '', minor = ''] = KUBERNETES_VERSION.slice(1).split('.');
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: reported ?? `${KUBERNETES_VERSION}+keelson-${keelsonVersion()}`,
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: `node ${process.version}`,
    platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  };
}
