// Node.js 20 has no Promise.withResolvers, which the SDK uses.
Promise.withResolvers ??= function () {
  let resolve, reject;
  const promise = new this((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
};

const restate = await import("@restatedev/restate-sdk");

const value = restate.object({
  name: "value",
  handlers: {
    put: async (ctx, text) => {
      ctx.set("value", text);
      return "ok";
    },
    get: restate.handlers.object.shared(async (ctx) => (await ctx.get("value")) ?? ""),
  },
});

restate.serve({ services: [value], port: Number(process.argv[2]) });
