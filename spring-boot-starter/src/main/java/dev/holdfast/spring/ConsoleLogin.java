package dev.holdfast.spring;

import dev.holdfast.console.ConsoleRole;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import java.util.function.Function;

/**
 * Lets people into the console, as a bean of the application: a filter of the application has
 * checked the person. Thread-safe.
 *
 * <pre>{@code
 * @Bean
 * ConsoleLogin consoleLogin() {
 *   return request -> request.isUserInRole("ADMIN") ? Optional.of(ConsoleRole.OPERATOR) : Optional.empty();
 * }
 * }</pre>
 */
@FunctionalInterface
public interface ConsoleLogin extends Function<HttpServletRequest, Optional<ConsoleRole>> {

  /**
   * {@return what the person may do; empty for nothing}
   *
   * @param request a request to the console
   */
  @Override
  Optional<ConsoleRole> apply(HttpServletRequest request);
}
