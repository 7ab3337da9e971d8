package dev.holdfast.http.internal.reply;

import dev.holdfast.http.call.ZoneReply;
import dev.holdfast.http.internal.json.Json;
import dev.holdfast.http.object.Found;
import dev.holdfast.http.object.PageRange;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

/** The envelope of every JSON answer. */
public final class Envelope {

  /**
   * The result is a tree, or an iterator of trees: then each is written before the next is read.
   */
  private record Body(
      Object result,
      boolean success,
      List<ApiError> errors,
      JsonNode messages,
      @Nullable ResultInfo resultInfo) {}

  private record ResultInfo(int page, int perPage, int count, long totalCount, long totalPages) {}

  private Envelope() {}

  private static ZoneReply reply(
      int status,
      Object result,
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
   * @param items the items of the page, of which one at a time is in memory
   * @param page the requested page
   * @param totalCount the number of matching items
   * @return the answer
   */
  public static ZoneReply page(Stream<ObjectNode> items, PageRange page, long totalCount) {
    return page(items, page, totalCount, Json.array());
  }

  /**
   * Answers a page of a list.
   *
   * @param items the items of the page, of which one at a time is in memory
   * @param page the requested page
   * @param totalCount the number of matching items
   * @param messages objects with a code and a text
   * @return the answer
   */
  public static ZoneReply page(
      Stream<ObjectNode> items, PageRange page, long totalCount, ArrayNode messages) {
    long pages = (totalCount + page.size() - 1) / page.size();
    int count = Math.clamp(totalCount - page.offset(), 0, page.size());
    ResultInfo info = new ResultInfo(page.number(), page.size(), count, totalCount, pages);
    return reply(200, items.iterator(), List.of(), messages, info);
  }

  /**
   * {@return the answer with a page of a list}
   *
   * @param <T> the type of its items
   * @param found the page
   * @param shown converts an item
   */
  public static <T> ZoneReply found(Found<T> found, Function<T, ObjectNode> shown) {
    return page(found.items().stream().map(shown), found.page(), found.totalCount());
  }

  /**
   * {@return the answer to a request that has deleted an item}
   *
   * @param id the id of the item
   */
  public static ZoneReply deleted(String id) {
    return ok(id(id));
  }

  /**
   * {@return the answer with a record}
   *
   * @param result the record
   */
  public static ZoneReply ok(Record result) {
    return ok(Json.tree(result));
  }

  /**
   * {@return an object with an id}
   *
   * @param id the id
   */
  public static ObjectNode id(String id) {
    return Json.object().put("id", id);
  }

  /**
   * {@return the answer with a page of a short list}
   *
   * @param items all items
   * @param asked returns the page for the number of items
   */
  public static ZoneReply shortList(Stream<ObjectNode> items, IntFunction<PageRange> asked) {
    List<ObjectNode> all = items.toList();
    PageRange page = asked.apply(all.size());
    return page(all.stream().skip(page.offset()).limit(page.size()), page, all.size());
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
