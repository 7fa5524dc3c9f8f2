import { expect, test } from 'vitest';
import { amountsOf, amountTexts } from '../../api/meaning/index.ts';
import { type Finding, ON_ITS_WAY_MS, QuotaAccount } from './quota-account.ts';

const pods = (count: number) => amountsOf({ pods: String(count) });
const said = ({ used }: Finding): string => String(amountTexts(used)['pods']);

function find(account: QuotaAccount, at: { said: number; counted: number; ms: number }): string {
  const finding = account.find(pods(at.said), pods(at.counted), at.ms);
  finding.written();
  return said(finding);
}

test('what has gone is taken off, and what is on its way stays charged', () => {
  const account = new QuotaAccount();
  account.free(pods(1));

  const finding = account.find(pods(9), pods(7), 0); // one is on its way

  expect([said(finding), finding.isExact]).toEqual(['8', false]);
});

test('what was charged for and never came is let go of a second later, and not what was charged for since', () => {
  const account = new QuotaAccount();
  expect(find(account, { said: 9, counted: 7, ms: 0 })).toBe('9');
  expect(find(account, { said: 10, counted: 7, ms: ON_ITS_WAY_MS - 1 })).toBe('10');
  account.free(pods(1));
  expect(find(account, { said: 10, counted: 6, ms: ON_ITS_WAY_MS - 1 })).toBe('9');
  expect(find(account, { said: 9, counted: 6, ms: ON_ITS_WAY_MS })).toBe('7');
});

test('what has gone is taken off once, whether it could be written at first or not', () => {
  const account = new QuotaAccount();
  account.free(pods(2));
  const refused = account.find(pods(9), pods(7), 0);
  refused.refused();

  expect([said(refused), find(account, { said: 10, counted: 7, ms: 0 })]).toEqual(['7', '8']);
  expect(find(account, { said: 8, counted: 7, ms: 1 })).toBe('8');
});

test('more than the quota says is believed at once', () => {
  expect(find(new QuotaAccount(), { said: 3, counted: 5, ms: 0 })).toBe('5');
});
