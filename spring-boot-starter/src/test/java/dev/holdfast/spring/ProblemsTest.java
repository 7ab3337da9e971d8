package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.holdfast.BookmarkException;
import dev.holdfast.BookmarkException.Reason;
import dev.holdfast.HoldfastException;
import dev.holdfast.InstanceResetException;
import dev.holdfast.InstanceResetException.WriteOutcome;
import dev.holdfast.ObjectId;
import dev.holdfast.RuntimeClosedException;
import dev.holdfast.cluster.errors.ObjectUnavailableException;
import dev.holdfast.cluster.errors.ObjectUnavailableException.Delivery;
import dev.holdfast.errors.CallInterruptedException;
import dev.holdfast.errors.InvalidObjectIdException;
import dev.holdfast.errors.JournalFailedException;
import dev.holdfast.errors.ObjectCallTimeoutException;
import dev.holdfast.errors.ObjectOverloadedException;
import dev.holdfast.errors.StorageFailedException;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockMvcRequestBuilders;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.ControllerAdviceBean;

/** What a client is answered when the runtime fails. */
class ProblemsTest {

  private static final ObjectId ANN = ObjectId.of(new byte[ObjectId.LENGTH_BYTES], "ann");

  @RestController
  private record Failing(RuntimeException failure) {
    @GetMapping("/")
    String fail() {
      throw failure;
    }
  }

  @RestControllerAdvice
  private static final class OfTheApplication {
    @ExceptionHandler(ObjectOverloadedException.class)
    String overloaded() {
      return "come back later";
    }
  }

  static List<Arguments> problems() {
    return List.of(
        arguments(new ObjectOverloadedException("carts", ANN, 100), 503, "Nothing was done"),
        arguments(new RuntimeClosedException(), 503, "ending or starting"),
        arguments(new JournalFailedException("broken", null), 503, "storage of the service"),
        arguments(
            new StorageFailedException("carts", ANN, "no room", null),
            503,
            "could not read or store"),
        arguments(
            new CallInterruptedException("carts", ANN, "interrupted"), 503, "stopped waiting"),
        arguments(unavailable(Delivery.NOT_DELIVERED), 503, "Nothing was done"),
        arguments(unavailable(Delivery.UNKNOWN), 503, "may have been done"),
        arguments(
            new InstanceResetException("carts", ANN, "reset", WriteOutcome.UNKNOWN, null),
            503,
            "may have been done"),
        arguments(
            new ObjectCallTimeoutException("carts", ANN, Duration.ofSeconds(3), true),
            504,
            "took too long"),
        arguments(new InvalidObjectIdException("not hexadecimal"), 400, "an invalid id"),
        arguments(
            new BookmarkException("carts", ANN, Reason.NOT_KEPT, "dropped"),
            400,
            "cannot be restored"));
  }

  private static ObjectUnavailableException unavailable(Delivery delivery) {
    return new ObjectUnavailableException("carts", ANN, delivery, "no owner", null);
  }

  @ParameterizedTest
  @MethodSource("problems")
  void failureOfTheRuntimeIsAProblem(HoldfastException failure, int status, String detail)
      throws Exception {
    MockMvc server =
        MockMvcBuilders.standaloneSetup(new Failing(failure))
            .setControllerAdvice(new HoldfastProblems(), new ClusterProblems())
            .build();

    MockHttpServletResponse answer = get(server);

    assertThat(answer.getStatus()).isEqualTo(status);
    assertThat(answer.getContentType()).isEqualTo("application/problem+json");
    assertThat(answer.getContentAsString())
        .contains(detail)
        .as("for clients")
        .doesNotContain("carts", "0000", "dev.holdfast");
    assertThat(answer.getHeader("Retry-After")).isEqualTo(status == 503 ? "1" : null);
  }

  @Test
  void adviceOfTheApplicationComesFirst() {
    new WebApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(HoldfastWebAutoConfiguration.class))
        .withUserConfiguration(OfTheApplication.class)
        .run(
            context ->
                assertThat(ControllerAdviceBean.findAnnotatedBeans(context))
                    .extracting(ControllerAdviceBean::getBeanType)
                    .asInstanceOf(InstanceOfAssertFactories.LIST)
                    .hasSize(3)
                    .startsWith(OfTheApplication.class)
                    .contains(HoldfastProblems.class, ClusterProblems.class));
  }

  @Test
  void applicationWithoutTheClusterHasNoAdviceForIt() {
    new WebApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(HoldfastWebAutoConfiguration.class))
        .withClassLoader(new FilteredClassLoader("dev.holdfast.cluster"))
        .run(
            context ->
                assertThat(context)
                    .hasSingleBean(HoldfastProblems.class)
                    .doesNotHaveBean("clusterProblems"));
  }

  private static MockHttpServletResponse get(MockMvc server) throws Exception {
    return server.perform(MockMvcRequestBuilders.get("/")).andReturn().getResponse();
  }
}
