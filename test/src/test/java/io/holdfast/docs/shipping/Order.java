package io.holdfast.docs.shipping;

record Order(String id) {
}
