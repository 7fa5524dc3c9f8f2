import { expect, test } from 'vitest';
import { addedRules, rulesIn } from './firewall-rules.ts';

const BEFORE = `table ip services {
	map addresses {
		type ipv4_addr . inet_service : verdict
		elements = { 10.96.0.1 . 443 : goto api,
			     10.96.0.10 . 53 : goto dns }
	}

	set sticky {
		type ipv4_addr
		elements = { 10.244.0.9 timeout 3h expires 2h59m }
	}

	chain api {
		ip daddr 10.96.0.1 counter packets 5 bytes 300 dnat to 10.10.0.2
	}
}
`;

test('rules are compared by their place, without counters and what expires', () => {
  const later = BEFORE.replace('packets 5 bytes 300', 'packets 9 bytes 540')
    .replace('10.244.0.9 timeout', '10.244.0.7 timeout')
    .replace('goto dns }', 'goto dns,\n\t\t\t     10.96.7.7 . 80 : goto web }')
    .replace('dnat to 10.10.0.2', 'dnat to 10.10.0.2\n\t\tip daddr 10.96.7.7 drop');

  expect(addedRules(rulesIn(BEFORE), rulesIn(BEFORE))).toEqual([]);
  expect(addedRules(rulesIn(BEFORE), rulesIn(later))).toEqual([
    'table ip services > map addresses > 10.96.7.7 . 80 : goto web',
    'table ip services > chain api > ip daddr 10.96.7.7 drop',
  ]);
});

test('a table or chain that is new is found, even when it is empty', () => {
  const later = `${BEFORE}table ip more {\n\tchain c {\n\t}\n}\n`;

  expect(addedRules(rulesIn(BEFORE), rulesIn(later))).toEqual(['table ip more', 'table ip more > chain c']);
});
