export class Value {
  constructor(state) {
    this.storage = state.storage;
  }

  async fetch(request) {
    if (request.method === "PUT") {
      this.storage.put("value", await request.text());
      return new Response("ok");
    }
    return new Response((await this.storage.get("value")) ?? "");
  }
}

export default {
  async fetch(request, env) {
    const name = new URL(request.url).pathname.slice(1);
    return env.VALUES.get(env.VALUES.idFromName(name)).fetch(request);
  },
};
