package dev.holdfast.http.internal.reply;

import dev.holdfast.http.internal.error.ApiError;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.ZoneReply;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The envelope of every JSON answer. */
public final class Envelope {

  private Envelope() {}

  /**
   * {@return a successful answer}
   *
   * @param result an object, an array or null
   */
  public static ZoneReply ok(JsonNode result) {
    return ZoneReply.json(200, Json.write(success(result)));
  }

  /**
   * {@return a successful answer with a list}
   *
   * @param items its items
   */
  public static ZoneReply ok(Stream<ObjectNode> items) {
    return ok(Json.array(items));
  }

  /**
   * Answers a page of a list.
   *
   * @param items the items of the page
   * @param page the requested page
   * @param totalCount the number of matching items
   * @return the answer
   */
  public static ZoneReply page(ArrayNode items, Page page, long totalCount) {
    return page(items, page, totalCount, Json.array());
  }

  /**
   * Answers a page of a list.
   *
   * @param items the items of the page
   * @param page the requested page
   * @param totalCount the number of matching items
   * @param messages objects with a code and a text
   * @return the answer
   */
  public static ZoneReply page(ArrayNode items, Page page, long totalCount, ArrayNode messages) {
    ObjectNode envelope = success(items);
    envelope.set("messages", messages);
    envelope
        .putObject("result_info")
        .put("page", page.number())
        .put("per_page", page.size())
        .put("count", items.size())
        .put("total_count", totalCount)
        .put("total_pages", (totalCount + page.size() - 1) / page.size());
    return ZoneReply.json(200, Json.write(envelope));
  }

  /**
   * {@return the answer with a whole list as its only page}
   *
   * @param items all items
   */
  public static ZoneReply wholeList(ArrayNode items) {
    return page(items, new Page(1, Math.max(1, items.size())), items.size());
  }

  /**
   * {@return the answer to a request that failed}
   *
   * @param failure the reason
   */
  public static ZoneReply failure(ApiException failure) {
    return failure(failure.status(), failure.errors());
  }

  /**
   * {@return the answer to a request that failed}
   *
   * @param status the HTTP status
   * @param errors the reasons
   */
  public static ZoneReply failure(int status, List<ApiError> errors) {
    ObjectNode envelope = Json.object();
    envelope.putNull("result");
    envelope.put("success", false);
    ArrayNode list = envelope.putArray("errors");
    errors.forEach(error -> list.add(tree(error)));
    envelope.putArray("messages");
    return ZoneReply.json(status, Json.write(envelope));
  }

  private static ObjectNode success(JsonNode result) {
    ObjectNode envelope = Json.object();
    envelope.set("result", result);
    envelope.put("success", true);
    envelope.putArray("errors");
    envelope.putArray("messages");
    return envelope;
  }

  private static ObjectNode tree(ApiError error) {
    ObjectNode tree = Json.object().put("code", error.code()).put("message", error.message());
    if (!error.chain().isEmpty()) {
      ArrayNode chain = tree.putArray("error_chain");
      error.chain().forEach(cause -> chain.add(tree(cause)));
    }
    if (error.pointer() != null) {
      tree.putObject("source").put("pointer", error.pointer());
    }
    if (!error.meta().isEmpty()) {
      ObjectNode meta = tree.putObject("meta");
      for (Map.Entry<String, String> entry : error.meta().entrySet()) {
        String name = entry.getKey();
        int dot = name.indexOf('.');
        if (dot < 0) {
          meta.put(name, entry.getValue());
        } else {
          meta.putObject(name.substring(0, dot)).put(name.substring(dot + 1), entry.getValue());
        }
      }
    }
    return tree;
  }
}
