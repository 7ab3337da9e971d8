package dev.holdfast.http.internal.call;

import dev.holdfast.http.call.ZoneCall;
import dev.holdfast.http.internal.endpoint.Endpoint;
import dev.holdfast.http.internal.endpoint.OpenApi;
import dev.holdfast.http.internal.json.DocumentSchema;
import dev.holdfast.http.internal.json.Fields;
import dev.holdfast.http.internal.json.Json;
import java.util.AbstractList;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** A request as an operation sees it. Body and query are parsed on first access. */
public final class Call {

  private static final DocumentSchema SCHEMA = new DocumentSchema(OpenApi::part);

  private final ZoneCall request;

  /**
   * Creates a call.
   *
   * @param request the request
   */
  public Call(ZoneCall request) {
    this.request = request;
  }

  /** {@return the first identifier after that of the zone} */
  public String id() {
    return request.ids().getFirst();
  }

  /**
   * {@return an identifier after that of the zone}
   *
   * @param index from 0
   */
  public String id(int index) {
    return request.ids().get(index);
  }

  /** {@return the parameters of the query} */
  public Query query() {
    return Query.parse(request.query());
  }

  /** {@return the operation} */
  public Endpoint endpoint() {
    return Endpoint.of(request.endpoint());
  }

  /** {@return the request, for the object of a zone} */
  public ZoneCall request() {
    return request;
  }

  /** {@return whether there is a body} */
  public boolean hasBody() {
    return !request.body().isBlank();
  }

  /** {@return the body as a tree} */
  public JsonNode body() {
    JsonNode body = Json.readBody(request.body());
    SCHEMA.check(endpoint().bodySchema(), body);
    return body;
  }

  /** {@return the body as it was sent, which its schema has accepted} */
  public String document() {
    body();
    return request.body();
  }

  /**
   * {@return the items of the body, which is an array of objects} Each is read when it is asked
   * for, so that a mistake in it is named before one in a later item.
   *
   * @param <T> the type of an item
   * @param read reads the members of one
   */
  public <T> List<T> items(Function<Fields, T> read) {
    List<Fields> items = Fields.listOf(body());
    return new AbstractList<>() {
      @Override
      public T get(int index) {
        return read.apply(items.get(index));
      }

      @Override
      public int size() {
        return items.size();
      }
    };
  }

  /** {@return the members of the body, which is an object} */
  public Fields fields() {
    return Fields.of(body());
  }
}
