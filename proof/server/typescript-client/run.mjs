// Drives a server with the published client: node run.mjs AREA BASE TOKEN ZONE
// Ends with 0 if every answer is what the client's own types promise; else says what was not.
import assert from 'node:assert/strict';
import Cloudflare from 'cloudflare';

const [area, baseURL, apiToken, zone_id] = process.argv.slice(2);
const client = new Cloudflare({ baseURL, apiToken, maxRetries: 0 });
const zone = { zone_id };

async function all(list) {
  const items = [];
  for await (const item of list) items.push(item);
  return items;
}

const areas = {
  async policies() {
    const policies = client.pageShield.policies;
    const given = {
      description: 'Checkout only',
      action: 'allow',
      expression: 'http.host eq "shop.example.com"',
      enabled: true,
      value: "script-src 'self' cdn.example.net",
    };
    const made = await policies.create({ ...zone, ...given });
    assert.deepEqual(made, { id: made.id, ...given });
    assert.deepEqual(await policies.get(made.id, zone), made);
    const changed = await policies.update(made.id, { ...zone, enabled: false });
    assert.deepEqual(changed, { ...made, enabled: false });
    assert.deepEqual(await all(policies.list(zone)), [changed]);
    await policies.delete(made.id, zone);
    assert.deepEqual(await all(policies.list(zone)), []);
    await assert.rejects(policies.get(made.id, zone), Cloudflare.NotFoundError);
    await assert.rejects(
      policies.create({ ...zone, ...given, value: 'report-uri /x' }),
      Cloudflare.BadRequestError,
    );
  },

  async scripts() {
    const settings = await client.pageShield.update({ ...zone, enabled: true });
    assert.equal(settings.enabled, true);
    const shown = await client.pageShield.get(zone);
    assert.deepEqual(settings, { enabled: shown.enabled, updated_at: shown.updated_at });
    const { scripts, connections, cookies } = client.pageShield;
    assert.deepEqual(await all(scripts.list(zone)), []);
    for (let load = 1; load <= 3; load++) await visit();

    const [script, ...more] = await all(scripts.list(zone));
    assert.deepEqual(more, []);
    assert.equal(script.url, 'https://cdn.example.net/lib.js');
    const single = await scripts.get(script.id, zone);
    assert.deepEqual(single.page_urls, ['https://shop.example.com/pay']);
    assert.deepEqual(await all(scripts.list({ ...zone, hosts: 'other.example.com' })), []);
    assert.equal((await all(scripts.list({ ...zone, hosts: 'a.example.com,shop*' }))).length, 1);
    const page = { page: '1', per_page: 5, status: 'active' };
    assert.deepEqual(await all(scripts.list({ ...zone, ...page })), [script]);

    const [connection] = await all(connections.list(zone));
    assert.equal(connection.url, 'https://api.example.net');
    const { page_urls, ...same } = await connections.get(connection.id, zone);
    assert.deepEqual(same, connection);
    assert.deepEqual(page_urls, ['https://shop.example.com/pay']);
    const [cookie] = await all(cookies.list({ ...zone, name: 'sid' }));
    assert.equal(cookie.type, 'first_party');
    assert.equal((await cookies.get(cookie.id, zone)).same_site_attribute, 'strict');
    await assert.rejects(scripts.get('0'.repeat(32), zone), Cloudflare.NotFoundError);
  },

  async filters() {
    const filters = client.filters;
    const body = [
      { expression: 'ip.src eq 192.0.2.1', description: 'one' },
      { expression: 'http.request.uri.path contains "/admin"', paused: true },
    ];
    const made = await all(filters.create({ ...zone, body }));
    assert.deepEqual(made.map((filter) => filter.expression), body.map((f) => f.expression));
    assert.deepEqual(await all(filters.list({ ...zone, per_page: 5 })), made);
    assert.deepEqual(await filters.get(made[0].id, zone), made[0]);
    const update = { expression: 'ip.src eq 192.0.2.2', paused: true };
    const changed = await filters.update(made[0].id, { ...zone, ...update });
    assert.deepEqual(changed, { id: made[0].id, ...update });
    assert.deepEqual(await filters.get(made[0].id, zone), changed);
    await all(filters.bulkUpdate({ ...zone, body: [{ ...changed, paused: false }] }));
    assert.equal((await filters.get(made[0].id, zone)).paused, false);
    assert.equal((await filters.delete(made[1].id, zone)).id, made[1].id);
    await filters.bulkDelete({ ...zone, id: [made[0].id] });
    assert.deepEqual(await all(filters.list(zone)), []);
    await assert.rejects(all(filters.create({ ...zone, body: [{ expression: 'no' }] })), (error) => {
      assert.ok(error instanceof Cloudflare.BadRequestError);
      assert.match(error.errors[0].message, /Filter parsing error/);
      return true;
    });
  },

  async rules() {
    const rules = client.firewall.rules;
    // The client's types have one object here; the service takes an array.
    const body = Array.from({ length: 12 }, (_, i) => ({
      action: 'block',
      priority: i,
      filter: { expression: `ip.src.asnum eq ${i}` },
    }));
    const made = await all(rules.create(zone, { body }));
    assert.equal(made.length, 12);
    assert.equal(made[3].filter.expression, 'ip.src.asnum eq 3');
    // Three pages, which the client asks for one after the other.
    assert.deepEqual(await all(rules.list({ ...zone, per_page: 5 })), made);
    assert.deepEqual(await rules.get(made[0].id, zone), made[0]);
    const update = { id: made[0].id, action: 'challenge', filter: { id: made[0].filter.id } };
    await rules.update(made[0].id, zone, { body: update });
    assert.equal((await rules.get(made[0].id, zone)).action, 'challenge');
    const [edited] = await all(rules.edit(made[1].id, { ...zone, priority: 77 }));
    assert.equal(edited.priority, 77);
    const priorities = [{ id: made[2].id, priority: 78 }];
    assert.equal((await all(rules.bulkEdit(zone, { body: priorities })))[0].priority, 78);
    assert.equal((await rules.delete(made[0].id, zone)).id, made[0].id);
    const ids = made.slice(1).map((rule) => rule.id);
    await all(rules.bulkDelete(zone, { query: { id: ids } }));
    assert.deepEqual(await all(rules.list(zone)), []);
    assert.equal((await all(client.filters.list(zone))).length, 12);
  },

  async rulesets() {
    const { rulesets } = client;
    const phase = 'http_request_firewall_managed';
    await assert.rejects(rulesets.phases.get(phase, zone), Cloudflare.NotFoundError);
    const rule = {
      action: 'execute',
      expression: 'true',
      description: 'managed',
      enabled: true,
      action_parameters: {
        id: 'efb7b8c949ac4650a09736fc376e9aee',
        overrides: { rules: [{ id: '0'.repeat(32), action: 'log', enabled: true }] },
      },
    };
    // Nothing of the service but its own questions is asked about the migration.
    const check = await client.get(`/zones/${zone_id}/waf_migration/check`, {
      query: { phase_two: 1 },
    });
    assert.deepEqual(check.result, { compatible: true, migration_state: 'start' });
    const entry = await rulesets.phases.update(phase, { ...zone, rules: [rule] });
    assert.equal(entry.version, '1');
    assert.deepEqual(entry.rules[0].action_parameters, rule.action_parameters);
    assert.deepEqual(await rulesets.phases.get(phase, zone), entry);

    const own = { ...zone, name: 'own', kind: 'zone', phase: 'http_request_firewall_custom' };
    const made = await rulesets.create({ ...own, rules: [] });
    const added = await rulesets.rules.create(made.id, {
      ...zone,
      action: 'block',
      expression: 'ip.src eq 192.0.2.1',
    });
    assert.equal(added.version, '2');
    const ruleId = added.rules[0].id;
    const disabled = await rulesets.rules.edit(ruleId, { ...zone, ruleset_id: made.id, enabled: false });
    assert.equal(disabled.rules[0].enabled, false);
    const emptied = await rulesets.rules.delete(ruleId, { ...zone, ruleset_id: made.id });
    assert.deepEqual(emptied.rules ?? [], []);
    const listed = await all(rulesets.list(zone));
    assert.deepEqual(listed.map((r) => r.id).sort(), [made.id, entry.id].sort());
    const versions = await all(rulesets.versions.list(made.id, zone));
    assert.equal(versions.length, 4);
    const second = await rulesets.versions.get('2', { ...zone, ruleset_id: made.id });
    assert.equal(second.rules.length, 1);
    await rulesets.delete(made.id, zone);
    await assert.rejects(rulesets.get(made.id, zone), Cloudflare.NotFoundError);
  },
};

/** What a page does with a browser in between: asks for headers, and its browser reports. */
async function visit() {
  const { result } = await client.post(`/zones/${zone_id}/page_monitor/headers`, {
    body: {
      url: 'http://shop.example.com/pay',
      response_headers: { 'Content-Type': 'text/html', 'Set-Cookie': 'sid=1; SameSite=Strict' },
    },
  });
  const address = new URL(/report-uri (\S+)/.exec(result.headers[0].value)[1]);
  for (const [directive, url] of [
    ['script-src-elem', 'https://cdn.example.net/lib.js'],
    ['connect-src', 'https://api.example.net/basket'],
  ]) {
    const report = {
      'document-uri': 'https://shop.example.com/pay',
      'blocked-uri': url,
      'effective-directive': directive,
      disposition: 'report',
    };
    const answer = await fetch(new URL(address.pathname + address.search, baseURL), {
      method: 'POST',
      headers: { 'content-type': 'application/csp-report' },
      body: JSON.stringify({ 'csp-report': report }),
    });
    assert.equal(answer.status, 204);
  }
}

await areas[area]();
