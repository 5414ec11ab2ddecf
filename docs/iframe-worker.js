/* Browsers start no worker for a page that is read from a folder. There, the search runs in a hidden frame instead. */
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(script) {
      super()
      this.waiting = []
      const frame = document.createElement("iframe")
      frame.hidden = true
      frame.addEventListener("load", () => {
        this.inside = frame.contentWindow
        this.inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
        this.waiting.forEach(data => this.postMessage(data))
      })
      const element = document.createElement("script")
      element.src = new URL(script, document.baseURI)
      frame.srcdoc = element.outerHTML
      document.body.append(frame)
    }
    postMessage(data) {
      if (this.inside) this.inside.dispatchEvent(new MessageEvent("message", { data }))
      else this.waiting.push(data)
    }
  }
  window.Worker = window.IFrameWorker
}
