package dev.holdfast.http.internal.reply;

import dev.holdfast.http.internal.error.ApiError;
import dev.holdfast.http.internal.error.ApiException;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.ZoneReply;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

/** The envelope of every JSON answer. */
public final class Envelope {

  private record Body(
      JsonNode result,
      boolean success,
      List<ApiError> errors,
      JsonNode messages,
      @Nullable ResultInfo resultInfo) {}

  private record ResultInfo(int page, int perPage, int count, long totalCount, long totalPages) {}

  private Envelope() {}

  private static ZoneReply reply(
      int status,
      JsonNode result,
      List<ApiError> errors,
      JsonNode messages,
      @Nullable ResultInfo info) {
    Body body = new Body(result, errors.isEmpty(), errors, messages, info);
    return ZoneReply.json(status, Json.write(body));
  }

  /**
   * {@return a successful answer}
   *
   * @param result an object, an array or null
   */
  public static ZoneReply ok(JsonNode result) {
    return reply(200, result, List.of(), Json.array(), null);
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
    long pages = (totalCount + page.size() - 1) / page.size();
    return reply(
        200,
        items,
        List.of(),
        messages,
        new ResultInfo(page.number(), page.size(), items.size(), totalCount, pages));
  }

  /**
   * {@return the answer with a whole list as its only page}
   *
   * @param items all items
   */
  public static ZoneReply wholeList(Stream<ObjectNode> items) {
    return wholeList(Json.array(items));
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
    return reply(failure.status(), NullNode.instance, failure.errors(), Json.array(), null);
  }
}
