// What the contract says of sessions and dreams, as the official JavaScript client sees it.
//
//     node dream_checks.mjs FOLDER-OF-THE-CLIENT URL KEY
//
// As `checks.mjs`; a worker has to run beside the server.

import assert from "node:assert/strict";
import { createRequire } from "node:module";

const [folder, url, key] = process.argv.slice(2);
const { default: Anthropic } = createRequire(import.meta.url)(folder);
const client = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
const { memoryStores: stores, sessions, dreams } = client.beta;

async function collected(pages) {
  const items = [];
  for await (const item of pages) items.push(item);
  return items;
}

async function refused(status, kind, act) {
  try {
    await act();
  } catch (error) {
    assert.equal(error.status, status, String(error));
    assert.equal(error.error.error.type, kind);
    return error;
  }
  assert.fail(`not refused with ${status}`);
}

async function newSession(store) {
  const resources = [{ type: "memory_store", memory_store_id: store }];
  const made = await sessions.create({ agent: "watch", environment_id: "env_x", resources });
  const text = "never push to main without a review";
  await sessions.events.send(made.id, {
    events: [{ type: "user.message", content: [{ type: "text", text }] }],
  });
  return made;
}

const dream = (store, ids, more = {}) =>
  dreams.create({
    inputs: [
      { type: "memory_store", memory_store_id: store },
      { type: "sessions", session_ids: ids },
    ],
    model: "rules",
    ...more,
  });

async function ended(id) {
  for (;;) {
    const now = await dreams.retrieve(id);
    if (!["pending", "running"].includes(now.status)) return now;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const checks = {
  async sessions() {
    const store = (await stores.create({ name: "Demo Memory" })).id;
    const made = await newSession(store);
    assert.equal(made.resources[0].mount_path, "/mnt/memory/demo-memory");
    assert.deepEqual((await collected(sessions.list({ memory_store_id: store }))).map((one) => one.id), [made.id]);
    const events = await collected(sessions.events.list(made.id));
    assert.deepEqual(events.map((one) => one.type), ["user.message"]);
    assert.ok((await sessions.archive(made.id)).archived_at);
    assert.equal((await sessions.delete(made.id)).type, "session_deleted");
    await refused(404, "not_found_error", () => sessions.retrieve(made.id));
  },
  async dreams() {
    const store = (await stores.create({ name: "Demo" })).id;
    await stores.memories.create(store, { path: "/a.md", content: "one" });
    const ids = [(await newSession(store)).id, (await newSession(store)).id];
    const over = await ended((await dream(store, ids, { instructions: "look closely" })).id);
    assert.equal(over.status, "completed", JSON.stringify(over));
    const copied = await collected(stores.memories.list(over.outputs[0].memory_store_id));
    const input = await collected(stores.memories.list(store));
    assert.deepEqual(copied.map((one) => one.content_sha256), input.map((one) => one.content_sha256));
    assert.ok((await collected(sessions.events.list(over.session_id))).length > 5);
    await refused(400, "invalid_request_error", () => dreams.cancel(over.id));
    assert.ok((await dreams.archive(over.id)).archived_at);
    const listed = dreams.list({ include_archived: true, statuses: ["completed"], "created_at[lt]": "2999-01-01T00:00:00Z" });
    assert.ok((await collected(listed)).some((one) => one.id === over.id));
  },
  async targets() {
    const store = (await stores.create({ name: "Demo" })).id;
    const ids = [(await newSession(store)).id];
    const target = { output_behavior: { type: "update_existing", memory_store_id: store } };
    const over = await ended((await dream(store, ids, target)).id);
    assert.deepEqual(over.outputs, [{ type: "memory_store", memory_store_id: store }]);
    const canceled = await dreams.cancel((await dream(store, ids)).id);
    assert.equal(canceled.status, "canceled");
    await refused(404, "not_found_error", () => dream(store, ["sesn_x"]));
    await refused(400, "invalid_request_error", () => dream(store, [...ids, ...ids]));
  },
};

const told = {};
for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    told[name] = "";
  } catch (error) {
    told[name] = String(error.stack).slice(0, 2000);
  }
}
console.log(JSON.stringify(told));
