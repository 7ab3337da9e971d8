package dev.holdfast.console.past;

import dev.holdfast.console.page.Text;
import dev.holdfast.operator.OperatorRequest;

/**
 * The object whose past is shown. Immutable.
 *
 * @param namespace its namespace
 * @param object its name or its id
 */
public record PastAddress(String namespace, String object) {

  /**
   * {@return a request about the object}
   *
   * @param verb the operation
   */
  public OperatorRequest ask(String verb) {
    return OperatorRequest.of(verb).with("namespace", namespace).with("object", object);
  }

  /** {@return the object as the query of an address} */
  public String query() {
    return "namespace=" + Text.query(namespace) + "&object=" + Text.query(object);
  }
}
