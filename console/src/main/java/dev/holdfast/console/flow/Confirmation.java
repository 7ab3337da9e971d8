package dev.holdfast.console.flow;

import dev.holdfast.console.page.PageFrame;
import dev.holdfast.console.page.Text;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Asks before something is done that is not about one object as a whole. Immutable.
 *
 * @param frame what surrounds it
 * @param title the word of the button
 * @param subject what it is about
 * @param consequence what it does, in one or two sentences
 * @param path where the form goes
 * @param fields what it is done with
 * @param cancel where a person goes instead
 */
public record Confirmation(
    PageFrame frame,
    String title,
    String subject,
    String consequence,
    String path,
    Map<String, String> fields,
    String cancel) {

  /**
   * {@return the fields as the query of an address: in a form, a browser would change the ends of
   * lines}
   */
  public String query() {
    return fields.entrySet().stream()
        .map(each -> each.getKey() + "=" + Text.query(each.getValue()))
        .collect(Collectors.joining("&"));
  }
}
