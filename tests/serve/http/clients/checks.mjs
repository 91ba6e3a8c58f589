// The checklist of the contract, as the official JavaScript client sees it.
//
//     node checks.mjs FOLDER-OF-THE-CLIENT URL KEY
//
// Prints, as JSON, each check with what went wrong, "" for nothing.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createRequire } from "node:module";

const [folder, url, key] = process.argv.slice(2);
const { default: Anthropic } = createRequire(import.meta.url)(folder);

const sha = (text) => createHash("sha256").update(text, "utf8").digest("hex");
const precondition = (text) => ({ type: "content_sha256", content_sha256: sha(text) });

async function collected(pages) {
  const items = [];
  for await (const item of pages) items.push(item);
  return items;
}

let sent = 0;
const counting = (...call) => {
  sent += 1;
  return fetch(...call);
};

function checksWith(maxRetries) {
  const client = new Anthropic({ baseURL: url, apiKey: key, maxRetries, fetch: counting });
  const stores = client.beta.memoryStores;
  const { memories, memoryVersions: versions } = stores;
  const at = (store, more = {}) => ({ memory_store_id: store, ...more });
  const newStore = async (more = {}) => (await stores.create({ name: "Demo", ...more })).id;
  const newMemory = (store, path = "/a.md", content = "one") =>
    memories.create(store, { path, content });
  const history = (store, asked = {}) => collected(versions.list(store, asked));

  async function refused(status, kind, act) {
    const before = sent;
    try {
      await act();
    } catch (error) {
      assert.ok(error instanceof Anthropic.APIError, String(error));
      assert.equal(error.status, status, JSON.stringify(error.error));
      assert.equal(error.error.type, "error");
      assert.equal(error.error.error.type, kind);
      assert.equal(error.error.request_id, error.requestID);
      if (status === 409) {
        assert.equal(error.headers.get("x-should-retry"), "false");
        assert.equal(sent - before, 1, "a conflict is asked once");
      }
      return error.error.error;
    }
    assert.fail(`not refused with ${status}`);
  }
  const bad = "invalid_request_error";

  return {
    async storeFields() {
      const made = await stores.create({ name: "Demo", metadata: { a: "b" } });
      assert.match(made.id, /^memstore_/);
      assert.deepEqual(Object.keys(made).sort(), [
        "archived_at", "created_at", "description", "id", "metadata", "name", "type", "updated_at",
      ]);
      assert.equal(made.description, "");
      assert.equal(made.archived_at, null);
      assert.equal(typeof made.created_at, "string");
      assert.match(made.created_at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      assert.deepEqual(await stores.retrieve(made.id), made);
    },
    async storeUpdateAndArchive() {
      const store = await newStore({ metadata: { a: "1", b: "2" } });
      const changed = await stores.update(store, { metadata: { a: null, c: "3" }, description: "d" });
      assert.deepEqual(changed.metadata, { b: "2", c: "3" });
      assert.equal((await stores.update(store, { description: null })).description, "d");
      const memory = await newMemory(store);
      await memories.update(memory.id, at(store, { content: "two" }));
      const archived = await stores.archive(store);
      assert.deepEqual(await stores.archive(store), archived);
      await refused(400, bad, () => stores.update(store, { name: "x" }));
      await refused(400, bad, () => newMemory(store, "/b"));
      assert.ok((await versions.redact(memory.memory_version_id, at(store))).redacted_at);
      assert.equal((await memories.delete(memory.id, at(store))).type, "memory_deleted");
      assert.equal((await stores.delete(store)).type, "memory_store_deleted");
      await refused(404, "not_found_error", () => stores.retrieve(store));
    },
    async storeList() {
      const ids = [];
      for (const name of ["x", "y", "z"]) ids.push(await newStore({ name }));
      const found = (await collected(stores.list({ limit: 1 }))).filter(({ id }) => ids.includes(id));
      assert.deepEqual(found.map(({ id }) => id), ids.toReversed());
      const asked = { "created_at[gte]": found[0].created_at };
      assert.ok((await collected(stores.list(asked))).some(({ id }) => id === ids[2]));
      assert.deepEqual(await collected(stores.list({ "created_at[gte]": "2999-01-01T00:00:00Z" })), []);
      await refused(400, bad, () => stores.list({ limit: 101 }));
    },
    async memoryFields() {
      const store = await newStore();
      const memory = await newMemory(store, "/notes/é.md", "grüße");
      assert.equal(memory.content, null);
      assert.equal(memory.content_sha256, sha("grüße"));
      assert.equal(memory.content_size_bytes, 7);
      assert.equal((await memories.retrieve(memory.id, at(store))).content, "grüße");
      assert.equal((await memories.retrieve(memory.id, at(store, { view: "basic" }))).content, null);
      const full = await memories.create(store, { path: "/f", content: "", view: "full" });
      assert.equal(full.content, "");
    },
    async memoryConflicts() {
      const store = await newStore();
      const memory = await newMemory(store, "/notes/todo");
      for (const path of ["/notes/todo", "/notes", "/notes/todo/x"]) {
        const error = await refused(409, "memory_path_conflict_error", () => newMemory(store, path));
        assert.equal(error.conflicting_memory_id, memory.id);
        assert.equal(error.conflicting_path, "/notes/todo");
      }
    },
    async memoryLimits() {
      const store = await newStore();
      assert.equal((await newMemory(store, "/l", "é".repeat(51200))).content_size_bytes, 102400);
      await refused(400, bad, () => newMemory(store, "/m", "é".repeat(51200) + "a"));
      await refused(400, bad, () => newMemory(store, "/m", "a\0b"));
      for (const path of ["/" + "t/".repeat(20) + "t", "/e\u0301", "/a\u200b", "/a\u2028", "/t/", "//a"]) {
        await refused(400, bad, () => newMemory(store, path));
      }
    },
    async memoryUpdate() {
      const store = await newStore();
      const memory = await newMemory(store);
      const change = (given) => memories.update(memory.id, at(store, given));
      const two = await change({ content: "two", precondition: precondition("one") });
      await refused(409, "memory_precondition_failed_error", () =>
        change({ content: "three", precondition: precondition("one") }));
      const again = await change({ content: "two", precondition: precondition("one") });
      assert.equal(again.memory_version_id, two.memory_version_id);
      const moved = await change({ path: "/b/c.md", precondition: precondition("two") });
      assert.equal(moved.id, memory.id);
      await newMemory(store, "/other");
      await refused(409, "memory_path_conflict_error", () => change({ path: "/other/x" }));
      await refused(400, bad, () => change({}));
      const malformed = { type: "content_sha256", content_sha256: "zz" };
      await refused(400, bad, () => change({ content: "x", precondition: malformed }));
    },
    async memoryDelete() {
      const store = await newStore();
      const memory = await newMemory(store);
      const remove = (expected) =>
        memories.delete(memory.id, at(store, { expected_content_sha256: expected }));
      await refused(409, "memory_precondition_failed_error", () => remove(sha("other")));
      assert.deepEqual({ ...(await remove(sha("one"))) }, { type: "memory_deleted", id: memory.id });
      await refused(404, "not_found_error", () => memories.delete(memory.id, at(store)));
      const left = await history(store, { memory_id: memory.id });
      assert.deepEqual(left.map(({ operation }) => operation), ["deleted", "created"]);
    },
    async memoryList() {
      const store = await newStore();
      for (const path of ["/a.md", "/notes/b.md", "/notes/sub/c.md", "/notes-2/d.md"]) {
        await newMemory(store, path, path);
      }
      const listed = async (asked) => (await collected(memories.list(store, asked))).map(({ path }) => path);
      assert.deepEqual(await listed({ limit: 1 }), ["/a.md", "/notes-2/d.md", "/notes/b.md", "/notes/sub/c.md"]);
      assert.deepEqual(await listed({ depth: 1, limit: 1 }), ["/a.md", "/notes-2/", "/notes/"]);
      assert.deepEqual(await listed({ path_prefix: "/notes/" }), ["/notes/b.md", "/notes/sub/c.md"]);
      await refused(400, bad, () => memories.list(store, { path_prefix: "/notes" }));
      await refused(400, bad, () => memories.list(store, { depth: 2 }));
      for (let n = 0; n < 21; n += 1) await newMemory(store, `/m/${n}`, "x");
      assert.equal((await memories.list(store)).data.length, 20);
      assert.equal((await memories.list(store, { limit: 100 })).data.length, 25);
      const full = await memories.list(store, { limit: 100, view: "full" });
      assert.equal(full.data.length, 20);
      assert.equal(full.data[0].content, "/a.md");
    },
    async versionFields() {
      const store = await newStore();
      const memory = await newMemory(store);
      const head = (await memories.update(memory.id, at(store, { content: "two" }))).memory_version_id;
      const [modified, created] = await history(store, { view: "full" });
      assert.deepEqual([modified.content, created.content], ["two", "one"]);
      assert.equal(created.created_by.type, "api_actor");
      assert.equal(created.redacted_by, null);
      assert.deepEqual(await history(store, { session_id: "sesn_1" }), []);
      assert.deepEqual(await history(store, { service_account_id: "svac_1" }), []);
      assert.equal((await history(store, { api_key_id: created.created_by.api_key_id })).length, 2);
      assert.equal((await history(store, { operation: "created" })).length, 1);
      await refused(400, bad, () => versions.redact(head, at(store)));
      const redacted = await versions.redact(created.id, at(store));
      assert.deepEqual([redacted.path, redacted.content, redacted.content_sha256], [null, null, null]);
      assert.deepEqual(await versions.retrieve(created.id, at(store)), redacted);
    },
    async secretsAndKeys() {
      const store = await newStore();
      const error = await refused(400, bad, () => newMemory(store, "/k", "key AKIA" + "Z7QK2M4PX6TR3WLB"));
      assert.match(error.message, /aws/);
      const wrong = new Anthropic({ baseURL: url, apiKey: "nothing", maxRetries });
      await refused(401, "authentication_error", () => wrong.beta.memoryStores.list());
    },
  };
}

const told = {};
for (const retries of [2, 0]) {
  for (const [name, check] of Object.entries(checksWith(retries))) {
    try {
      await check();
      told[`${name} (retries ${retries})`] = "";
    } catch (error) {
      told[`${name} (retries ${retries})`] = String(error.stack).slice(0, 2000);
    }
  }
}
console.log(JSON.stringify(told));
