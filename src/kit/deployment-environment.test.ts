import { expect, test } from 'vitest';
import { deploymentOptions } from './deployment-environment.ts';

test('an empty environment changes nothing', () => {
  expect(deploymentOptions({ PATH: '/bin', KEELSON_INSTALL: '' })).toEqual({});
});

test('a Deployment sets where an app listens, and that one of several replicas leads', () => {
  const environment = {
    KEELSON_HEALTH_PORT: '8080',
    KEELSON_LEADER_ELECTION: 'true',
    KEELSON_INSTALL: 'false',
    KEELSON_SERVICE: 'shop-system/shop',
    KEELSON_SERVER_PORT: '9443',
  };
  expect(deploymentOptions(environment)).toEqual({
    health: { host: '', port: 8080 },
    leaderElection: true,
    install: false,
    service: { namespace: 'shop-system', name: 'shop', port: 9443 },
  });
});

test.each([
  [{ KEELSON_HEALTH_PORT: '80a' }, 'Cannot read KEELSON_HEALTH_PORT: it must be a port, got "80a"'],
  [{ KEELSON_HEALTH_PORT: '65536' }, 'it must be a port'],
  [{ KEELSON_INSTALL: 'no' }, 'Cannot read KEELSON_INSTALL: it must be true or false, got "no"'],
  [{ KEELSON_SERVICE: 'shop' }, 'Cannot read KEELSON_SERVICE: it must be NAMESPACE/NAME, got "shop"'],
])('%j is refused', (environment, message) => {
  expect(() => deploymentOptions(environment)).toThrow(message);
});
